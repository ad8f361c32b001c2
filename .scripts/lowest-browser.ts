import { transform } from "esbuild";

/** What a built file needs. */
export interface Needs {
  /** The lowest Chrome that runs it. */
  readonly chrome: number;
  /** What no lower one has: a name, or the file's syntax. */
  readonly because: string;
}

/**
 * Names by the first Chrome that has them, as MDN's compatibility data says, from 92 on; older ones are below every floor that is thought
 * of. Of names of methods, those are left out that our own objects have as well.
 */
const names: readonly (readonly [chrome: number, name: RegExp])[] = [
  [92, /\.at\(/],
  [92, /\brandomUUID\(/],
  [93, /\bObject\.hasOwn\(/],
  // esbuild takes 91 for it.
  [94, /\bstatic\{/],
  [97, /\.findLast(Index)?\(/],
  [98, /\bstructuredClone\(/],
  [98, /\bsignal\.reason\b/],
  [99, /\.showPicker\(/],
  [100, /\.throwIfAborted\(/],
  [103, /\bAbortSignal\.timeout\(/],
  [108, /\bcreateSyncAccessHandle\(/],
  [110, /\.to(Sorted|Reversed|Spliced)\(/],
  [110, /\.with\(/],
  [111, /\.(is|to)WellFormed\(/],
  // esbuild writes a literal with a flag that no Chrome is known to have as this call.
  [112, /\bnew RegExp\(("([^"\\]|\\.)*"|`[^`]*`),["`][a-z]*v[a-z]*["`]\)/],
  [113, /\bsearchParams\.size\b/],
  [114, /\.transfer(ToFixedLength)?\(/],
  [114, /\bJSON\.(rawJSON|isRawJSON)\(/],
  [116, /\bAbortSignal\.any\(/],
  [117, /\b(Object|Map)\.groupBy\(/],
  [119, /\bPromise\.withResolvers\(/],
  [120, /\bURL\.canParse\(/],
  [121, /\bArray\.fromAsync\(/],
  [
    122,
    /\.(values|keys|entries)\(\)\.(map|filter|take|drop|flatMap|reduce|some|every|find|forEach|toArray)\(/,
  ],
  [122, /\bIterator\.(from|concat)\(/],
  [122, /\.(union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(/],
  [126, /\bURL\.parse\(/],
  [128, /\bPromise\.try\(/],
  [129, /\bIntl\.DurationFormat\b/],
  [134, /\bError\.isError\(/],
  [134, /\bSymbol\.(dispose|asyncDispose)\b/],
  [136, /\bRegExp\.escape\(/],
  [140, /\.(to|from|setFrom)(Base64|Hex)\(/],
  [145, /\.getOrInsert(Computed)?\(/],
];

/** Uses that first ask whether the name is there. */
const guarded = /typeof URL\.canParse={2,3}["`']function["`']\?URL\.canParse\(/g;

/** Newer than any Chrome: nothing is rewritten for it. */
const newest = 999;

/**
 * Finds the lowest Chrome for a minified script or style sheet: for its syntax the lowest one that esbuild does not rewrite it for, and
 * for its names our own table.
 */
export async function lowestBrowser(code: string, loader: "js" | "css"): Promise<Needs> {
  const written = (chrome: number) => writtenFor(code, loader, chrome);
  const asItIs = await written(newest);
  let [low, high] = [5, newest];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await written(middle)) === asItIs) high = middle;
    else low = middle + 1;
  }
  const asked = (asItIs ?? code).replace(guarded, "");
  const found = names.flatMap(([chrome, name]) => {
    const [because] = loader === "js" ? (name.exec(asked) ?? []) : [];
    return because === undefined ? [] : [{ chrome, because }];
  });
  return found.reduce((most, each) => (each.chrome > most.chrome ? each : most), {
    chrome: low,
    because: "syntax",
  });
}

/** What there is no way to write for a browser is an error, and so unlike the code. */
async function writtenFor(code: string, loader: "js" | "css", chrome: number): Promise<string | null> {
  const options = { loader, target: `chrome${chrome}`, minifyWhitespace: true, logLevel: "silent" } as const;
  return transform(code, options).then(
    (result) => result.code,
    () => null,
  );
}
