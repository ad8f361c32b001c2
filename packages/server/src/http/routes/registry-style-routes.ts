import type { Route } from "../route-table.ts";
import { apiRoute } from "./api-route.ts";

const read = "registry:read";
const write = "registry:write";

const registrantRoutes: readonly Route[] = [
  apiRoute("GET", "/registry/registrant", {
    operation: "listRegistrants",
    scope: read,
    summary: "List registrants",
  }),
  apiRoute("POST", "/registry/registrant", {
    operation: "createRegistrant",
    scope: write,
    summary: "Create a registrant",
  }),
  apiRoute("GET", "/registry/registrant/{ext_id}", {
    operation: "readRegistrant",
    scope: read,
    summary: "Read one registrant",
  }),
  apiRoute("PUT", "/registry/registrant/{ext_id}", {
    operation: "replaceRegistrant",
    scope: write,
    summary: "Replace a registrant's name, birthdate and gender",
  }),
];

const changeRequestRoutes: readonly Route[] = [
  apiRoute("GET", "/change_request", {
    operation: "listChangeRequests",
    scope: read,
    summary: "List change requests",
  }),
  apiRoute("POST", "/change_request", {
    operation: "submitChangeRequest",
    scope: write,
    summary: "Submit a change request",
  }),
  apiRoute("GET", "/change_request/{ext_id}", {
    operation: "readChangeRequest",
    scope: read,
    summary: "Read one change request",
  }),
  apiRoute("PUT", "/change_request/{ext_id}", {
    operation: "replaceChangeRequest",
    scope: write,
    summary: "Change the data of a draft",
  }),
  apiRoute("POST", "/change_request/{ext_id}/$submit", {
    operation: "submitDraft",
    scope: write,
    summary: "Submit a draft",
  }),
  apiRoute("POST", "/change_request/{ext_id}/$revise", {
    operation: "reviseChangeRequest",
    scope: write,
    summary: "Ask for a revision",
  }),
  apiRoute("POST", "/change_request/{ext_id}/$approve", {
    operation: "approveChangeRequest",
    scope: write,
    summary: "Approve a change request",
  }),
  apiRoute("POST", "/change_request/{ext_id}/$reject", {
    operation: "rejectChangeRequest",
    scope: write,
    summary: "Reject a change request",
  }),
  apiRoute("POST", "/change_request/{ext_id}/$apply", {
    operation: "applyChangeRequest",
    scope: write,
    summary: "Make the approved change",
  }),
];

const programRoutes: readonly Route[] = [
  apiRoute("GET", "/programs", {
    operation: "listPrograms",
    scope: "program:read",
    summary: "List programs",
  }),
  apiRoute("GET", "/programs/{ext_id}", {
    operation: "readProgram",
    scope: "program:read",
    summary: "Read one program",
  }),
  apiRoute("POST", "/programs/{ext_id}/enroll", {
    operation: "enroll",
    scope: "program:write",
    summary: "Enroll a registrant in a program",
  }),
  apiRoute("GET", "/programs/{ext_id}/cycles", {
    operation: "listCycles",
    scope: "program:read",
    summary: "List a program's cycles",
  }),
  apiRoute("GET", "/entitlements", {
    operation: "listEntitlements",
    scope: "entitlement:read",
    summary: "List entitlements",
  }),
  apiRoute("GET", "/entitlements/{ext_id}", {
    operation: "readEntitlement",
    scope: "entitlement:read",
    summary: "Read one entitlement",
  }),
  apiRoute("POST", "/entitlements/{ext_id}/approve", {
    operation: "approveEntitlement",
    scope: "entitlement:write",
    summary: "Approve an entitlement",
  }),
];

/** The registry-style endpoints: specification; contract section 6. */
export function registryStyleRoutes({ programs }: { readonly programs: boolean }): readonly Route[] {
  return [...registrantRoutes, ...changeRequestRoutes, ...(programs ? programRoutes : [])];
}
