import type { FieldClient } from "@fieldroll/sync";
import { type AppUpdate, connectFieldWorker, registerAppWorker } from "@fieldroll/sync/page";
import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterDrafts } from "./app/after-drafts.ts";
import { type Area, feedsOf, openAreaChoices } from "./app/areas.ts";
import { openDrafts } from "./app/drafts.ts";
import { loadAreas } from "./app/load-areas.ts";
import { openPauseNote } from "./app/pause-note.ts";
import { openTab } from "./app/tab.ts";
import { App } from "./app.tsx";
import "./styles.scss";

/** What the page shows: replaced as a whole when the worker, the areas or a new version change it. */
interface Shown {
  readonly client: FieldClient;
  readonly feed: string;
  readonly areas: readonly Area[];
  readonly update: AppUpdate | null;
}

async function start(root: Root): Promise<void> {
  const { origin, search } = window.location;
  const server = import.meta.env.VITE_SERVER ?? `${origin}/api/v2`;
  const clock = () => new Date();
  const newId = () => crypto.randomUUID();
  const tab = openTab({ storage: window.sessionStorage, locks: navigator.locks, newId });
  const drafts = openDrafts({ server, clock, indexedDB: window.indexedDB, tab });
  const pauses = openPauseNote({ clock, storage: window.localStorage });
  const connect = (feed: string) => {
    const worker = () => new Worker(new URL("./store-worker.ts", import.meta.url), { type: "module" });
    return connectFieldWorker(worker, { server, feeds: feedsOf(feed), build: appBuild });
  };
  const { indexedDB, localStorage: storage } = window;
  const asked = new URLSearchParams(search).get("feed");
  const choices = openAreaChoices({ server, asked, indexedDB, storage });
  const isNew = !(await holdsRecords(indexedDB));
  const feed = await choices.current();
  let shown: Shown = { client: connect(feed), feed, areas: [], update: null };
  const show = (change: Partial<Shown>) => {
    shown = { ...shown, ...change };
    root.render(
      <StrictMode>
        <App
          {...shown}
          isNew={isNew}
          newId={newId}
          drafts={drafts}
          pauses={pauses}
          feedOf={choices.of}
          onFeed={choose}
        />
      </StrictMode>,
    );
  };
  /** Another area is another set of feeds: the worker starts anew with it. */
  const choose = async (next: string, person: string | null) => {
    await (person === null ? choices.follow(next) : choices.choose(person, next));
    if (next === shown.feed) return shown.client;
    void shown.client.close();
    const client = connect(next);
    show({ client, feed: next });
    return client;
  };
  show({});
  // The engine reads it already, whichever tab it runs in.
  window.addEventListener("storage", (event) => {
    const feed = choices.toldBy(event);
    if (feed !== null) show({ feed });
  });
  void loadAreas().then((areas) => show({ areas }));
  if (!import.meta.env.PROD) return;
  // On a slow network the app's other files would hold up the worker's script and, on a new device, the first records.
  while (shown.client.status.current.phase === "stopped") await aWhile(500);
  for (let waited = 0; isNew && waited < longestAlone && isBare(shown.client); waited += 500)
    await aWhile(500);
  void registerAppWorker("./service-worker.js", ({ isTaken, apply }) => {
    show({ update: { isTaken, apply: () => void afterDrafts(drafts, apply) } });
  });
}

/** How long the first records of a new device have the network for themselves, in milliseconds; also where nobody signs in. */
const longestAlone = 20_000;

/** Whether no record has come yet of those that are to be downloaded. */
function isBare({ status }: FieldClient): boolean {
  const { complete, records } = status.current.firstSync;
  return !complete && records === 0;
}

/** Whether this device may hold records of somebody; where the browser does not say, it may. */
async function holdsRecords(indexedDB: IDBFactory | undefined): Promise<boolean> {
  const databases = await indexedDB?.databases?.().catch(() => null);
  return databases?.some(({ name }) => name === "fieldroll") ?? true;
}

function aWhile(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const element = document.getElementById("app");
if (element) void start(createRoot(element));
