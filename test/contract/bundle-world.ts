import {
  type Answer,
  addProgram,
  household,
  person,
  type Service,
  type ServiceOptions,
  startService,
} from "./fixture.ts";

export type Json = Readonly<Record<string, unknown>>;

export const id = (value: string) => `Individual/urn:gov:ph:nid|${value}`;
export const first = "urn:uuid:0193a000-0000-7000-8000-00000000000a";
export const second = "urn:uuid:0193a000-0000-7000-8000-00000000000b";

interface More {
  readonly ifMatch?: string;
  readonly fullUrl?: string;
}

export function entry(line: string, resource?: unknown, { ifMatch, fullUrl }: More = {}): Json {
  const [method, url] = line.split(/ (.*)/);
  return {
    ...(fullUrl !== undefined && { fullUrl }),
    request: { method, url, ...(ifMatch !== undefined && { ifMatch }) },
    ...(resource !== undefined && { resource }),
  };
}

export const bundle = (type: string, ...entries: readonly unknown[]) => ({
  resourceType: "Bundle",
  type,
  entry: entries,
});

export const enrollment = (beneficiary: string, more: Json = {}) => ({
  type: "ProgramMembership",
  program: { reference: "Program/urn:service:program|cash" },
  beneficiary: { reference: beneficiary },
  status: "draft",
  ...more,
});

export const statuses = ({ body }: Answer) =>
  body.entry.map(({ response }: { response: { status: number } }) => response.status);

export type Send = (
  body: unknown,
  headers?: Record<string, string>,
  as?: string,
  query?: string,
) => Promise<Answer>;

/** A server with two people, a household of the first and a program. */
export async function startForBundles(
  open: ServiceOptions["open"],
): Promise<{ service: Service; send: Send }> {
  const service = await startService({ ...(open && { open }) });
  await addProgram(service.registry);
  for (const value of ["1", "2"]) {
    const answer = await service.call({ method: "POST", path: "/Individual", body: person(value) });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  }
  const answer = await service.call({ method: "POST", path: "/Group", body: household("a", [id("1")]) });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const send: Send = (body, headers = {}, as = "writer", query = "") =>
    service.call({ method: "POST", path: `/$batch${query}`, body, headers, as });
  return { service, send };
}
