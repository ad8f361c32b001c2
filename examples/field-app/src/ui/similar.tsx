import { type ReactNode, useId } from "react";
import type { Similar } from "../model/household.ts";
import { hrefOf, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { Written } from "./text.tsx";

/**
 * Says, while a form is filled in, that its person may be registered already, and why. Nothing waits for an answer: each record
 * opens beside the form. Who has the same identity number can't be another person, and is not offered as one.
 */
export function MayBeRegistered(props: {
  readonly similar: readonly Similar[];
  readonly onDismiss: () => void;
}): ReactNode {
  const id = useId();
  const { similar } = props;
  const taken = similar.find((record) => record.taken);
  return (
    <div role="status">
      {similar.length > 0 && (
        <section className="app-similar" aria-labelledby={id}>
          <h3 className="govuk-heading-s" id={id}>
            {texts.likeness.title}
          </h3>
          <SimilarList similar={similar} />
          {taken ? (
            <p className="govuk-body">{texts.likeness.taken(taken.name)}</p>
          ) : (
            <Button look="secondary" onClick={props.onDismiss}>
              {texts.likeness.dismiss(similar.length)}
            </Button>
          )}
        </section>
      )}
    </div>
  );
}

/** Records that look alike, with the reasons; each opens in a tab of its own, for the form stays. */
export function SimilarList(props: { readonly similar: readonly Similar[] }): ReactNode {
  return (
    <ul className="app-list">
      {props.similar.map(({ reference, name, text }) => (
        <li className="app-list__item" key={reference}>
          <a
            className="app-list__link"
            href={hrefOf(recordRoute(reference))}
            target="_blank"
            rel="noreferrer"
          >
            <span className="app-list__title">
              <Written>{name}</Written>
            </span>
            <span className="app-list__text">{text}</span>
            <span className="app-list__open">
              {texts.likeness.open} <span className="govuk-visually-hidden">{texts.likeness.opens}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
