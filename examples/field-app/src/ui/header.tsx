import { useSyncStatus } from "@fieldroll/sync/react";
import type { ReactNode } from "react";
import { useRights } from "../app/rights.ts";
import { isInVain } from "../model/rights.ts";
import { hrefOf, type Route } from "../route.ts";
import { texts } from "../texts.ts";

const entries = [
  ["find", texts.app.find],
  ["register", texts.app.register],
  ["sync", texts.app.sync],
] as const;

/** Which entry of the menu a screen belongs to. */
function entryOf(route: Route): string {
  if (route.screen === "register") return "register";
  return route.screen === "sync" || route.screen === "decide" ? "sync" : "find";
}

/** The name, the menu, and how much is not sent yet. */
export function Header(props: { readonly route: Route; readonly signedIn: boolean }): ReactNode {
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link is a link; the app’s screens already use the part after #. */}
      <a href="#main-content" className="govuk-skip-link" onClick={skip}>
        {texts.app.skip}
      </a>
      <header className="app-header">
        <div className="govuk-width-container app-header__inner">
          <a className="app-header__name" href={hrefOf({ screen: "find" })}>
            <Mark />
            {texts.app.name}
          </a>
        </div>
      </header>
      {props.signedIn && <Menu current={entryOf(props.route)} />}
    </>
  );
}

function Menu(props: { readonly current: string }): ReactNode {
  const rights = useRights();
  return (
    <nav className="app-menu" aria-label={texts.app.menu}>
      <div className="govuk-width-container">
        <ul className="app-menu__list">
          {entries
            .filter(([screen]) => !isInVain({ screen }, rights))
            .map(([screen, name]) => (
              <li className="app-menu__item" key={screen}>
                <a
                  className="app-menu__link"
                  href={hrefOf({ screen })}
                  aria-current={props.current === screen ? "page" : undefined}
                >
                  {name}
                  {screen === "sync" && <SyncCount />}
                </a>
              </li>
            ))}
        </ul>
      </div>
    </nav>
  );
}

function SyncCount(): ReactNode {
  const { pending, sending, parked } = useSyncStatus();
  const unsent = pending + sending;
  return (
    <>
      {unsent > 0 && <span className="app-menu__count">{texts.app.waiting(unsent)}</span>}
      {parked > 0 && (
        <span className="app-menu__count app-menu__count--ask">{texts.app.decisions(parked)}</span>
      )}
    </>
  );
}

/** The page's address is the screen, so skipping moves the focus and leaves the address alone. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main-content h1")?.focus();
}

function Mark(): ReactNode {
  return (
    <svg className="app-header__mark" viewBox="6 6 52 52" aria-hidden="true" focusable="false">
      <g fill="none" strokeWidth="5" strokeLinecap="round" strokeLinejoin="round">
        <path d="M14 33 32 17l18 16" stroke="currentColor" />
        <path d="M19 32v16h26V32" stroke="currentColor" />
        <path d="m26 39 5 5 9-10" stroke="#8fd6b4" />
      </g>
    </svg>
  );
}
