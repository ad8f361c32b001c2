import type { Consents } from "./consents.ts";

/** What is simulated. */
export interface SimulationOptions {
  readonly seed: number;
  readonly devices: number;
  /** How long people work, in hours of the simulation. */
  readonly hours: number;
  /** Things that each person does in an hour, on the average. */
  readonly pace?: number;
  /** Records that the server gives in one page of a feed at most, whatever is asked for; default: as many as a server does. */
  readonly page?: number;
  /**
   * Whether the people of every second tablet see others only as far as these consent; `narrow`, where most consent to no more than
   * their names. Default: all see all.
   */
  readonly consents?: Consents;
  /**
   * Whether people carry unsent edits from their own tablet to another one in files. Then everybody works with the next one's tablet
   * too. Default: nobody does.
   */
  readonly files?: boolean;
  /** Whether people give up some of what they have not sent yet. Default: nobody does. */
  readonly givesUp?: boolean;
  /** How many areas every second tablet reads; default: one in three reads one, the others all there is. */
  readonly areas?: number;
  /** Told each line of the trace. */
  readonly tell?: (line: string) => void;
  /** What is followed through the trace: every document that holds it, as it comes, changes and goes. */
  readonly watch?: string;
}
