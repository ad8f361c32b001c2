/** What a page that is measured is told. */
export interface SyncTask {
  /** Of the database; no other run has it. */
  readonly name: string;
  readonly token: string;
}

/** One first sync, in milliseconds from its first request. */
export interface FirstSync {
  /** Until a search by name found somebody of the first page. */
  readonly first: number;
  /** Until all records were there and a search by name was answered. */
  readonly all: number;
  readonly records: number;
}

/** What every side can do. */
export interface SideMeasures {
  firstSync(task: SyncTask): Promise<FirstSync>;
  /** Opens what an earlier page left and reads the first 50 by name. */
  firstList(name: string): Promise<void>;
}

/** What a page says when its address asked it for the first list: milliseconds since it began to load. */
export interface ListMeasures {
  listed(): Promise<number>;
}

/** The heap of the page's own thread, in bytes. */
export interface HeapMeasures {
  watchHeap(): void;
  /** The most that it grew while it was watched. */
  heapPeak(): number;
}

/** What the searches ask for; some hundreds of each ten thousand begin so. */
export const searchedName = "Ba";

/** The codes of the server, and one that it refuses. */
export const genderSystem = "urn:iso:std:iso:5218";
export const deviceGenders: readonly string[] = ["0", "1", "2", "9", "7"];

/** What the engine's page is asked for besides. Times are in milliseconds. */
export interface EngineMeasures extends SideMeasures {
  /** Signs in and reads everything. The engine then runs when it is asked to, until `goOnline`. */
  start(name: string): Promise<void>;
  /** Goes on with what `start` left, in a page opened anew. */
  reopen(name: string): Promise<void>;
  /** Edits one field each of so many people, one after the other; how long each took until it was durable. */
  edit(edits: Edits): Promise<number[]>;
  /** Starts a first sync of another database and edits people of its first page until it has ended. */
  editDuringPull(name: string): Promise<number[]>;
  /** One run of the engine. */
  sync(): Promise<Ran>;
  /** Lets the engine run by itself, until nothing is left to send or so many milliseconds have gone. */
  goOnline(deadline: number): Promise<Ran>;
  stop(): Promise<void>;
}

export interface Edits {
  readonly from: number;
  readonly count: number;
  /** Each so many-th edit is one that the server refuses. 0 for none. */
  readonly poisonedEach: number;
  readonly text: string;
}

/** What came of a run. */
export interface Ran {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  readonly milliseconds: number;
  /** Edits that wait to be sent, and those that wait for a person. */
  readonly unsent: number;
  readonly parked: number;
  readonly lastError: string | null;
}

/** Offers measures to the bench. An address with `#name` asks at once for the first list of that database. */
export function offer(measures: SideMeasures): void {
  const name = decodeURIComponent(location.hash.slice(1));
  const listed = name ? measures.firstList(name).then(() => performance.now()) : undefined;
  Object.assign(globalThis, { measures: { ...measures, ...heapMeasures(), listed: () => listed } });
}

function heapMeasures(): HeapMeasures {
  let peak = 0;
  const now = () => (performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0;
  return {
    watchHeap() {
      const blank = now();
      setInterval(() => {
        peak = Math.max(peak, now() - blank);
      }, 20);
    },
    heapPeak: () => peak,
  };
}
