import type { ProblemKind } from "@fieldroll/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useFrame } from "../app/context.ts";
import { missingText } from "../model/missing-text.ts";
import { hrefOf, type Route } from "../route.ts";
import { texts } from "../texts.ts";
import { Written } from "./text.tsx";

/** One screen: the way back, a heading that takes the focus when the screen opens, and the content. */
export function Page(props: {
  readonly title: string;
  readonly caption?: string;
  /** Whether the title is something people wrote. */
  readonly written?: boolean;
  readonly back?: Route;
  readonly faulty?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const { title, faulty } = props;
  useEffect(() => {
    document.title = `${faulty ? `${texts.app.error} ` : ""}${title} – ${texts.app.name}`;
  }, [title, faulty]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);
  return (
    <>
      {props.back && (
        <nav className="govuk-width-container app-back" aria-label={texts.app.back}>
          <a className="govuk-back-link" href={hrefOf(props.back)}>
            {texts.app.back}
          </a>
        </nav>
      )}
      <main className="govuk-main-wrapper govuk-width-container" id="main-content">
        <h1 className="govuk-heading-l" ref={heading} tabIndex={-1}>
          {props.caption && (
            <span className="govuk-caption-l">
              <Written>{props.caption}</Written>
            </span>
          )}
          {props.written ? <Written>{title}</Written> : title}
        </h1>
        {props.children}
      </main>
    </>
  );
}

export function Section(props: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className="app-section">
      <h2 className="govuk-heading-m">{props.title}</h2>
      {props.children}
    </section>
  );
}

/** A screen whose record is still being read. */
export function LoadingPage(props: { readonly title?: string; readonly children?: ReactNode }): ReactNode {
  return (
    <main className="govuk-main-wrapper govuk-width-container" id="main-content" aria-busy="true">
      <h1 className="govuk-heading-l">{props.title ?? texts.app.loading}</h1>
      {props.children}
    </main>
  );
}

/** A screen whose record is not here, or could not be read. The problem's own words are for programs. */
export function MissingPage(props: { readonly reference: string; readonly kind: ProblemKind }): ReactNode {
  const { givenUp } = useFrame();
  const { title, text } = missingText(props.kind, givenUp.has(props.reference));
  return (
    <Page title={title} back={{ screen: "find" }}>
      <p className="govuk-body">{text}</p>
    </Page>
  );
}
