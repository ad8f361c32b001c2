import { Fragment, type ReactNode } from "react";
import { scriptLanguage } from "../model/person-text.ts";

/** Several such texts in a row, each in its own direction, so that a comma between two scripts stays where it is. */
export function WrittenList(props: { readonly parts: readonly string[] }): ReactNode {
  return props.parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two parts may read the same, such as a town and its province.
    <Fragment key={at}>
      {at > 0 && ", "}
      <Written>{part}</Written>
    </Fragment>
  ));
}

/** A text that people wrote, such as a name: shown in its own direction, and read aloud in its own language. */
export function Written(props: { readonly children: string }): ReactNode {
  return (
    <bdi dir="auto" lang={scriptLanguage(props.children)}>
      {props.children}
    </bdi>
  );
}
