import { disability, farmer } from "@fieldroll/core";
import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { exposeFieldService } from "@fieldroll/sync/worker";
import * as z from "zod";

// The page's content security policy forbids compiling code from strings, which Zod would try first.
z.config({ jitless: true });

exposeFieldService({
  openStore: () => openIndexedDbStore({ name: "fieldroll" }),
  // As the shipped server has them: what a person enters there is refused at once where the server would refuse it.
  rules: { extensions: [farmer, disability] },
});
