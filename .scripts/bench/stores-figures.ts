/** One figure beside its goal. */
export interface Finding {
  readonly name: string;
  readonly value: string;
  readonly goal: string;
  readonly figures: string;
  readonly reached: boolean;
}

export function findingText({ name, value, goal, figures, reached }: Finding): string {
  return `${reached ? "ok  " : "MISS"} ${name}: ${value} (goal ${goal}; ${figures})\n`;
}

/** Times of single calls, in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p95: number;
}

export function timesOf(values: readonly number[]): Times {
  return { p50: quantile(values, 0.5), p95: quantile(values, 0.95) };
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** How many a second, when so many took from `begin` until now. */
export function perSecond(count: number, begin: number): number {
  return (count * 1000) / (performance.now() - begin);
}

/** How many a second, and the processor time of each in microseconds, which other work on the machine changes little. */
export interface Rate {
  readonly rate: number;
  readonly cost: number;
}

/** Starts to measure; what it gives tells the rate of so many done since. */
export function startClock(): (count: number) => Rate {
  const before = process.cpuUsage();
  const begin = performance.now();
  return (count) => {
    const rate = (count * 1000) / (performance.now() - begin);
    const { user, system } = process.cpuUsage(before);
    return { rate, cost: (user + system) / count };
  };
}

export function rateText(rates: readonly Rate[]): string {
  const [rate, cost] = [median(rates.map((each) => each.rate)), median(rates.map((each) => each.cost))];
  return `${rate.toFixed(0)}/s at ${cost.toFixed(1)} µs of processor time`;
}

/** The most memory this process has had, in megabytes. */
export function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024;
}
