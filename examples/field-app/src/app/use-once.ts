import { useState } from "react";

/** The first value that was there: what a form is filled from, however the record changes afterwards. */
export function useOnce<T>(value: T | undefined): T | undefined {
  const [first, setFirst] = useState(value);
  if (first === undefined && value !== undefined) setFirst(value);
  return first ?? value;
}
