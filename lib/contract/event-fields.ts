import * as z from "zod";
import { requestLimits } from "./limits.ts";

/**
 * A list in an event. A list with many invalid elements is cut behind the first few: listing the problems of a hundred
 * thousand elements would take seconds and all memory of the worker.
 */
export const eventList = <Element extends z.ZodType, List extends z.ZodType = z.ZodArray<Element>>(
  element: Element,
  refined: (list: z.ZodArray<Element>) => List,
) => z.preprocess((value) => cutBehindProblems(element, value), refined(z.array(element)));

function cutBehindProblems(element: z.ZodType, value: unknown): unknown {
  const { problemsMax } = requestLimits;
  if (!Array.isArray(value) || value.length <= problemsMax) return value;
  let problems = 0;
  const end = value.findIndex((each) => {
    problems += element.safeParse(each).error?.issues.length ?? 0;
    return problems > problemsMax;
  });
  return end === -1 ? value : value.slice(0, end + 1);
}
