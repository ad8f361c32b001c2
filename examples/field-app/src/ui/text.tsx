import type { ReactNode } from "react";
import { scriptLanguage } from "../model/person-text.ts";

/** A text that people wrote, such as a name: shown in its own direction, and read aloud in its own language. */
export function Written(props: { readonly children: string }): ReactNode {
  return (
    <bdi dir="auto" lang={scriptLanguage(props.children)}>
      {props.children}
    </bdi>
  );
}
