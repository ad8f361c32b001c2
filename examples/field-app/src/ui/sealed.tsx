import type { ReactNode } from "react";
import { useSealed } from "../app/sealed.ts";
import { texts } from "../texts.ts";

/** Says that this device keeps unsent changes of somebody who is not signed in. Who that is, it does not tell. */
export function SealedNotice(): ReactNode {
  const count = useSealed();
  if (count === 0) return null;
  return (
    <p className="govuk-inset-text" data-testid="sealed">
      {texts.sync.sealedHere(count)}
    </p>
  );
}
