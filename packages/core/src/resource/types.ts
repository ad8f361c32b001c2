/** The types of resource that are addressed by identifier: specification, "Resources and their fields". */
export const resourceTypes = ["Individual", "Group", "Program", "ProgramMembership"] as const;

export type ResourceType = (typeof resourceTypes)[number];
