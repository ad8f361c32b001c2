/** One answered request. */
export interface Answered {
  readonly what: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** What was answered, and how slowly. */
export interface Ledger {
  note(answered: Answered): void;
  readonly count: number;
  answers(): readonly Answered[];
  /** How often each class of status was answered; 0 stands for a connection that broke. */
  statuses(): Readonly<Record<string, number>>;
  failures(): readonly Answered[];
  slowest(count: number): readonly Answered[];
  percentile(part: number): number;
}

export function createLedger(): Ledger {
  const all: Answered[] = [];
  return {
    note: (answered) => void all.push(answered),
    answers: () => all,
    get count() {
      return all.length;
    },
    statuses() {
      const found: Record<string, number> = {};
      for (const { status } of all) found[status] = (found[status] ?? 0) + 1;
      return found;
    },
    failures: () => all.filter(({ status }) => status >= 500),
    slowest: (count) => all.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, count),
    percentile(part) {
      const sorted = all.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    },
  };
}

/** Sends a request, reads its whole answer, and notes both. A connection that breaks has the status 0. */
export async function timed(
  ledger: Ledger,
  what: string,
  send: () => Promise<Response>,
): Promise<{ readonly status: number; readonly text: string }> {
  const started = performance.now();
  try {
    const response = await send();
    const text = await response.text();
    const milliseconds = performance.now() - started;
    ledger.note({ what, status: response.status, milliseconds, bytes: text.length });
    return { status: response.status, text };
  } catch {
    ledger.note({ what, status: 0, milliseconds: performance.now() - started, bytes: 0 });
    return { status: 0, text: "" };
  }
}
