import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { exposeFieldService } from "@fieldroll/sync/worker";

exposeFieldService({ openStore: () => openIndexedDbStore({ name: "fieldroll" }) });
