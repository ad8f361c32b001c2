import type { RegistryView, ResourceType } from "@fieldroll/core";

/** The verbs of a type of resource, where the type is known only when the program runs. */
export function verbsOf(view: RegistryView, type: ResourceType) {
  switch (type) {
    case "Individual":
      return view.individuals;
    case "Group":
      return view.groups;
    case "Program":
      return view.programs;
    case "ProgramMembership":
      return view.memberships;
  }
}
