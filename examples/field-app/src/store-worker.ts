// Before all else, for what comes next makes its schemas as it is imported.
import "./without-eval.ts";

import { disability, farmer } from "@fieldroll/core";
import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { exposeFieldService } from "@fieldroll/sync/worker";

exposeFieldService({
  build: appBuild,
  openStore: () => openIndexedDbStore({ name: "fieldroll" }),
  // As the shipped server has them: what a person enters there is refused at once where the server would refuse it.
  rules: { extensions: [farmer, disability] },
});
