import type { JsonObject } from "../json.ts";
import type { MembershipStatus } from "../resource/membership-status.ts";
import { daysBefore, daysBetween } from "./days.ts";
import type { Household } from "./household.ts";
import type { DemoProgram, DemoPrograms } from "./programs.ts";
import type { Choices, Weighted } from "./random.ts";

/** What the memberships of one household depend on besides the household. */
export interface EnrollmentContext {
  readonly programs: DemoPrograms;
  readonly today: string;
  readonly namespace: string;
  readonly choices: Choices;
  /** The state of the household's grant, whatever chance says: so that a small set shows every state. */
  readonly grantStatus?: MembershipStatus | undefined;
}

type Mixture = readonly [Weighted<MembershipStatus>, ...Weighted<MembershipStatus>[]];

const running: Mixture = [
  [60, "enrolled"],
  [12, "draft"],
  [9, "exited"],
  [8, "not_eligible"],
  [7, "paused"],
  [4, "duplicated"],
];

const ended: Mixture = [
  [85, "exited"],
  [10, "not_eligible"],
  [5, "duplicated"],
];

/** The memberships of a household and of its older people. */
export function enrollments(home: Household, context: EnrollmentContext): readonly JsonObject[] {
  const { programs, today, choices, grantStatus } = context;
  const elders = home.people.filter(({ place }) => place.age >= 60 && choices.chance(0.7));
  const hasChildren = home.people.some(({ place }) => place.age < ofAge);
  const inGrant = grantStatus !== undefined || choices.chance(hasChildren ? 0.65 : 0.08);
  const inRelief = choices.chance(0.3) && home.registered < daysBefore(programs.relief.end ?? today, 10);
  const enroll = (beneficiary: string, program: DemoProgram, status: MembershipStatus) =>
    membership(beneficiary, { program, status, known: home.registered }, context);
  const grant = grantStatus ?? choices.weighted(running);
  return [
    ...(inGrant ? [enroll(home.reference, programs.grant, grant)] : []),
    ...(inRelief ? [enroll(home.reference, programs.relief, choices.weighted(ended))] : []),
    ...elders.map(({ reference }) => enroll(reference, programs.pension, choices.weighted(running))),
  ];
}

const ofAge = 18;

/** One enrollment; `known` is the day from which the beneficiary was in the registry. */
interface Stay {
  readonly program: DemoProgram;
  readonly status: MembershipStatus;
  readonly known: string;
}

function membership(beneficiary: string, stay: Stay, context: EnrollmentContext): JsonObject {
  return {
    type: "ProgramMembership",
    identifier: [{ system: `urn:${context.namespace}:program-membership`, value: context.choices.uuid() }],
    program: { reference: stay.program.reference },
    beneficiary: { reference: beneficiary },
    status: stay.status,
    ...dates(stay, context),
  };
}

const exitReasons = [
  "Graduated",
  "Moved out of the program's area",
  "Beneficiary died",
  "Asked to leave",
] as const;

/** Dates inside the program's period; only who was ever enrolled has them. */
function dates({ program, status, known }: Stay, { choices, today }: EnrollmentContext): JsonObject {
  if (status === "draft" || status === "not_eligible") return {};
  const last = program.end ?? today;
  const first = known > program.start ? known : program.start;
  const entered = choices.between(0, daysBetween(first, last));
  const enrollmentDate = daysBefore(last, entered);
  if (status !== "exited") return { enrollmentDate };
  if (program.end) return { enrollmentDate, exitDate: program.end, exitReason: "The program ended" };
  return {
    enrollmentDate,
    exitDate: daysBefore(last, choices.between(0, entered)),
    exitReason: choices.pick(exitReasons),
  };
}
