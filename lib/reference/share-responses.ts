import type { ApiDocument, DocumentedResponse } from "./document.ts";
import { mapped } from "./examples.ts";

/** In the document that callers get, a response that several operations have stands once, in the components. */
export function shareResponses(document: ApiDocument): object {
  const counts = new Map<string, number>();
  for (const response of responsesOf(document)) {
    const text = JSON.stringify(response);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const shared: Record<string, DocumentedResponse> = {};
  const names = new Map<string, string>();
  const nameOf = (response: DocumentedResponse, text: string): string => {
    const known = names.get(text);
    if (known) return known;
    const codes = response["x-error-codes"]?.join("_or_") ?? "Answer";
    const alike = [...names.values()].filter((name) => name.replace(/\.\d+$/, "") === codes).length;
    const name = alike === 0 ? codes : `${codes}.${alike + 1}`;
    names.set(text, name);
    shared[name] = response;
    return name;
  };
  const referred = (response: DocumentedResponse): object => {
    const text = JSON.stringify(response);
    return (counts.get(text) ?? 0) > 1
      ? { $ref: `#/components/responses/${nameOf(response, text)}` }
      : response;
  };
  const paths = mapped(document.paths, (methods) =>
    mapped(methods, (operation) => ({ ...operation, responses: mapped(operation.responses, referred) })),
  );
  return { ...document, paths, components: { ...document.components, responses: shared } };
}

const responsesOf = ({ paths }: ApiDocument): DocumentedResponse[] =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.values(responses)),
  );
