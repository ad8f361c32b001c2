import { type AnswerValidator, createAnswerValidator } from "./validate-answer.ts";

type Handler = (request: Request) => Promise<Response>;

const validators = new Map<string, Promise<AnswerValidator>>();

/**
 * Throws when an answer is not as the server's own OpenAPI document says.
 *
 * @param service.isUsual whether it is like every other usual one, and so has the same document
 */
export function documentedBy(
  handle: Handler,
  service: { readonly isUsual: boolean },
): (request: Request, response: Response) => Promise<void> {
  let own: Promise<AnswerValidator> | undefined;
  return async (request, response) => {
    own ??= service.isUsual ? remembered("usual", () => validatorOf(handle)) : validatorOf(handle);
    const validate = await own;
    const { status, headers } = response;
    const faults = validate({
      method: request.method,
      url: request.url,
      status,
      headers,
      body: await response.clone().text(),
    });
    if (faults.length > 0) throw new Error(`not as /openapi.json has it:\n${faults.join("\n")}`);
  };
}

/** Services with the same document share a validator, so that its schemas are compiled once. */
async function validatorOf(handle: Handler): Promise<AnswerValidator> {
  const answer = await handle(new Request("http://registry.test/openapi.json"));
  const text = await answer.text();
  return remembered(text, async () => createAnswerValidator(JSON.parse(text)));
}

function remembered(key: string, make: () => Promise<AnswerValidator>): Promise<AnswerValidator> {
  const made = validators.get(key) ?? make();
  validators.set(key, made);
  return made;
}
