/** The worker of the field app, with a database of its own for each run. */
import "./sync-without-eval.ts";

import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { exposeFieldService } from "@fieldroll/sync/worker";
import { deviceGenders, genderSystem } from "./sync-task.ts";

const name = new URLSearchParams(self.location.search).get("name") ?? "fieldroll";
exposeFieldService({
  name,
  openStore: () => openIndexedDbStore({ name }),
  // One code more than the server has: what it refuses always, and the device lets pass.
  rules: { vocabularies: { [genderSystem]: { codes: deviceGenders } } },
});
