import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { exposeFieldService } from "@fieldroll/sync/worker";
import * as z from "zod";

// The page's content security policy forbids compiling code from strings, which Zod would try first.
z.config({ jitless: true });

exposeFieldService({ openStore: () => openIndexedDbStore({ name: "fieldroll" }) });
