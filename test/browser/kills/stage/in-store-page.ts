import type { StorePage } from "./store-page.ts";
import type { Tablet } from "./tablet.ts";

/** Closes the app, does something to its store, and opens the app again. */
export async function inStorePage<Name extends keyof StorePage>(
  { tab, device }: Tablet,
  name: Name,
  ...args: Parameters<StorePage[Name]>
): Promise<Awaited<ReturnType<StorePage[Name]>>> {
  const { page } = tab();
  await page.goto(`${device.address}store.html`);
  const answer = await page.evaluate(
    ([method, given]) =>
      (globalThis as unknown as { store: Record<string, (...each: unknown[]) => unknown> }).store[method]?.(
        ...given,
      ),
    [name, args] as const,
  );
  await page.goto(device.address);
  return answer as Awaited<ReturnType<StorePage[Name]>>;
}
