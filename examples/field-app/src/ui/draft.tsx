import { useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useFrame } from "../app/context.ts";
import type { DraftPlace, Kept } from "../app/drafts.ts";
import { instantText } from "../model/person-text.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { LoadingPage } from "./page.tsx";

/** A form's values, kept while they are typed. */
export interface Draft<T> {
  readonly values: T;
  set(values: T): void;
  /** When what is shown was typed, where it was brought back; otherwise `null`. */
  readonly restored: string | null;
  /** Whether what is typed outlives the form; `false` where there was no room to keep it. */
  readonly isKept: boolean;
  /** Forgets what is kept, and keeps nothing more: it was saved, or the person leaves the form by "Cancel". */
  forget(): void;
  /** Gives up what was brought back: the form starts anew. */
  discard(): void;
}

interface DraftedProps<T> {
  /** Names the form, and the record that it is about. */
  readonly form: string;
  /** What the form starts with where nothing was typed before. */
  readonly fresh: () => T;
  /** Shown until it is known what was typed before. Default: a page that loads. */
  readonly loading?: ReactNode;
  readonly children: (draft: Draft<T>) => ReactNode;
}

/**
 * Shows a form with what was typed into it and not saved, however it was left: by a link, a reload or an end of the browser.
 * A form that changes a record keeps the record as it was seen among its values, for it may be a newer one when it is saved.
 */
export function Drafted<T>(props: DraftedProps<T>): ReactNode {
  const { drafts } = useFrame();
  const person = useSyncStatus().signedInAs;
  const { form } = props;
  const [found, setFound] = useState<{ readonly kept: Kept | null } | null>(null);
  useEffect(() => {
    let current = true;
    const look = async () => {
      const kept = person === null ? null : await drafts.read({ person, form });
      if (current) setFound({ kept });
    };
    void look();
    return () => {
      current = false;
    };
  }, [drafts, person, form]);
  if (!found || person === null) return props.loading === undefined ? <LoadingPage /> : props.loading;
  const place = { person, form };
  const discard = () => {
    drafts.drop(place);
    setFound({ kept: null });
  };
  return (
    <Filled {...props} key={String(found.kept?.at)} place={place} kept={found.kept} onDiscard={discard} />
  );
}

function Filled<T>(
  props: DraftedProps<T> & {
    readonly place: DraftPlace;
    readonly kept: Kept | null;
    readonly onDiscard: () => void;
  },
): ReactNode {
  const { drafts } = useFrame();
  const { place, kept } = props;
  const [fresh] = useState(props.fresh);
  // The keeper brings back what this form handed over.
  const [values, setValues] = useState(kept ? (kept.content as T) : fresh);
  const [isKept, setKept] = useState(true);
  useEffect(() => (isKept ? undefined : askBeforeUnload()), [isKept]);
  // What comes late, such as a picture, must not bring back a form that is done with.
  const done = useRef(false);
  const after = (forgetting: () => void) => {
    done.current = true;
    forgetting();
  };
  return props.children({
    values,
    set: (next) => {
      setValues(next);
      if (done.current) return;
      if (JSON.stringify(next) !== JSON.stringify(fresh)) return drafts.keep(place, next, setKept);
      drafts.drop(place);
      setKept(true);
    },
    isKept,
    restored: kept?.at ?? null,
    forget: () => after(() => drafts.drop(place)),
    discard: () => after(props.onDiscard),
  });
}

/** Has the browser ask before the page is closed or loaded again. @returns a function that ends it. */
function askBeforeUnload(): () => void {
  const ask = (event: Event) => event.preventDefault();
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}

/** Says that what is typed can't be kept, before the form is left; that what was typed before is back, and offers to give it up. */
export function DraftNotice(props: {
  readonly draft: Pick<Draft<unknown>, "restored" | "discard" | "isKept">;
}): ReactNode {
  const { restored, discard, isKept } = props.draft;
  if (!isKept) {
    return (
      <section className="govuk-inset-text" aria-label={texts.safeMode.unkeptTitle} role="alert">
        <p className="govuk-body">{texts.safeMode.unkept}</p>
      </section>
    );
  }
  if (restored === null) return null;
  return (
    <section className="govuk-inset-text" aria-label={texts.draft.title}>
      <p className="govuk-body" role="status">
        {texts.draft.restored(instantText(restored))}
      </p>
      <Button look="secondary" onClick={discard}>
        {texts.draft.discard}
      </Button>
    </section>
  );
}
