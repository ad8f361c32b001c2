import type { RegistryView, ResourceType } from "@fieldroll/core";

/** The verbs of a type of resource, where the type is known only when the program runs. */
export function verbsOf(view: RegistryView, type: ResourceType) {
  return {
    Individual: view.individuals,
    Group: view.groups,
    Program: view.programs,
    ProgramMembership: view.memberships,
  }[type];
}
