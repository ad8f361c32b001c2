import type { FieldClient, SyncStatus } from "@fieldroll/sync";
import type { AppUpdate } from "@fieldroll/sync/page";
import { FieldProvider, useSyncStatus } from "@fieldroll/sync/react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { type Area, areaName, homeOf } from "./app/areas.ts";
import { useCleared } from "./app/cleared.ts";
import { type AppFrame, FrameContext, type Telling } from "./app/context.ts";
import type { Drafts } from "./app/drafts.ts";
import { useHash } from "./app/navigation.ts";
import type { PauseNote } from "./app/pause-note.ts";
import { isStarting } from "./app/starting.ts";
import { isInVain, rightsOf } from "./model/rights.ts";
import { stillTold, type ToldAmong } from "./model/telling.ts";
import { hrefOf, type Route, routeOf } from "./route.ts";
import { AddMemberScreen } from "./screens/add-member.tsx";
import { DecideScreen } from "./screens/decide.tsx";
import { EditEnrollmentScreen } from "./screens/edit-enrollment.tsx";
import { EditHouseholdScreen } from "./screens/edit-household.tsx";
import { EditPersonScreen } from "./screens/edit-person.tsx";
import { EnrollScreen } from "./screens/enroll.tsx";
import { EnrollmentScreen } from "./screens/enrollment.tsx";
import { FindScreen } from "./screens/find.tsx";
import { HouseholdScreen } from "./screens/household.tsx";
import { MemberScreen } from "./screens/member.tsx";
import { PersonScreen } from "./screens/person.tsx";
import { RegisterScreen } from "./screens/register.tsx";
import { SignInScreen } from "./screens/sign-in.tsx";
import { SyncScreen } from "./screens/sync.tsx";
import { texts } from "./texts.ts";
import { Header } from "./ui/header.tsx";
import { Message, Notices } from "./ui/notices.tsx";
import { LoadingPage } from "./ui/page.tsx";
import { SafeModePage, shownCause } from "./ui/safe-mode.tsx";

export interface AppProps {
  readonly client: FieldClient;
  /** A new UUID. */
  readonly newId: () => string;
  readonly areas: readonly Area[];
  /** What was typed into forms of this server and not saved. */
  readonly drafts: Drafts;
  readonly pauses: PauseNote;
  /** The feed that this device follows. */
  readonly feed: string;
  /** Which feed is offered to a person who signs in. */
  readonly feedOf: (person: string) => Promise<string>;
  /** Takes a feed into use as a person's choice, or without one; answers with the client that follows it. */
  readonly onFeed: (feed: string, person: string | null) => Promise<FieldClient>;
  /** A new version of the app that this page does not run yet. */
  readonly update: AppUpdate | null;
  /** Whether this device holds nothing yet, so that nobody can be signed in. */
  readonly isNew: boolean;
}

/** The whole app around one client. */
export function App(props: AppProps): ReactNode {
  return (
    <FieldProvider client={props.client}>
      <Framed {...props} />
    </FieldProvider>
  );
}

/** A message for the screen at one address; it goes when another is opened. */
interface Told extends ToldAmong {
  readonly text: Telling;
  readonly hash: string;
}

function Framed(props: AppProps): ReactNode {
  const { client, newId, feed, areas, drafts, pauses } = props;
  const hash = useHash();
  const [told, setTold] = useState<Told | null>(null);
  const [givenUp] = useState(() => new Set<string>());
  const frame = useMemo<AppFrame>(
    () => ({
      today: () => client.clock.current.today,
      newId,
      go: (route, message) => {
        const to = hrefOf(route);
        const from = routeOf(window.location.hash);
        const { parked } = client.status.current;
        setTold(message ? { text: saidOf(message, from), hash: to, parked } : null);
        window.location.hash = to;
      },
      drafts,
      pauses,
      givenUp,
      feed,
      area: areaName(feed, areas),
      home: homeOf(feed),
    }),
    [client, newId, feed, areas, drafts, pauses, givenUp],
  );
  useEffect(() => {
    setTold((now) => (now && now.hash !== hash ? null : now));
  }, [hash]);
  const status = useSyncStatus();
  const { signedInAs, phase, parked } = status;
  useEffect(() => {
    setTold((now) => now && stillTold(now, parked));
  }, [parked]);
  const message = told?.hash === hash && (typeof told.text === "string" ? told.text : told.text(status));
  // While the app starts, nobody knows yet who is signed in.
  const cleared = useCleared();
  const owner = signedInAs ?? cleared ?? (phase === "signed-out" ? null : undefined);
  useEffect(() => {
    if (owner !== undefined) drafts.keepOnly(owner);
  }, [drafts, owner]);
  const [begun, setBegun] = useState(false);
  if (!begun && phase !== "stopped") setBegun(true);
  const route: Route = signedInAs === null ? { screen: "sign-in" } : routeOf(hash);
  // Whoever signs in does so at any address, and keeps what is typed when that changes, as it does right after a sign-out.
  const place = signedInAs === null ? "sign-in" : `${signedInAs} ${hash}`;
  return (
    <FrameContext value={frame}>
      <div className="app-root">
        <Header route={route} signedIn={signedInAs !== null} />
        <Notices route={route} update={props.update} />
        {message && <Message text={message} />}
        <Content
          status={status}
          isStarting={isStarting(status, begun || props.isNew)}
          update={props.update}
          screen={<Screen key={place} route={route} app={props} cleared={cleared} />}
        />
      </div>
    </FrameContext>
  );
}

/** What is said of work that is saved; also that it can't be sent, where this sign-in may not change such a record. */
function saidOf(message: Telling, from: Route): Telling {
  if (typeof message !== "string") return message;
  return ({ scopes }) => (isInVain(from, rightsOf(scopes)) ? texts.rights.notSent(message) : message);
}

/** The screen, or what is in its way: nobody knows yet who is signed in, or could not be told. */
function Content(props: {
  readonly status: SyncStatus;
  readonly isStarting: boolean;
  readonly update: AppUpdate | null;
  readonly screen: ReactNode;
}): ReactNode {
  const { safeMode, signedInAs, lastError } = props.status;
  if (safeMode !== null && signedInAs === null)
    return <SafeModePage cause={shownCause(safeMode, props.update)} detail={lastError} />;
  return props.isStarting ? <Starting error={lastError} /> : props.screen;
}

/** Milliseconds after which a start is worth a word: on a slow network the worker's script takes its time. */
const slowStart = 5_000;

/** Shown until the worker has opened the records of this device. */
function Starting(props: { readonly error: string | null }): ReactNode {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowStart);
    return () => clearTimeout(timer);
  }, []);
  const title = props.error === null ? texts.app.starting : texts.app.failed;
  return (
    <LoadingPage title={title}>
      <p className="govuk-body" role="status">
        {props.error ?? (isSlow && texts.app.stillStarting)}
      </p>
    </LoadingPage>
  );
}

function Screen(props: {
  readonly route: Route;
  readonly app: AppProps;
  readonly cleared: string | null;
}): ReactNode {
  const { route, app } = props;
  switch (route.screen) {
    case "find":
      return <FindScreen />;
    case "register":
      return <RegisterScreen />;
    case "sync":
      return <SyncScreen />;
    case "sign-in":
      return (
        <SignInScreen
          areas={app.areas}
          area={app.feed}
          areaOf={app.feedOf}
          onArea={app.onFeed}
          cleared={props.cleared}
        />
      );
    case "member":
      return <MemberScreen reference={route.reference} member={route.member} />;
    default:
      return recordScreens[route.screen](route.reference);
  }
}

type RecordScreen = Exclude<Extract<Route, { reference: string }>["screen"], "member">;

const recordScreens: Readonly<Record<RecordScreen, (reference: string) => ReactNode>> = {
  household: (reference) => <HouseholdScreen reference={reference} />,
  "edit-household": (reference) => <EditHouseholdScreen reference={reference} />,
  "add-member": (reference) => <AddMemberScreen reference={reference} />,
  person: (reference) => <PersonScreen reference={reference} />,
  "edit-person": (reference) => <EditPersonScreen reference={reference} />,
  enroll: (reference) => <EnrollScreen reference={reference} />,
  enrollment: (reference) => <EnrollmentScreen reference={reference} />,
  "edit-enrollment": (reference) => <EditEnrollmentScreen reference={reference} />,
  decide: (reference) => <DecideScreen reference={reference} />,
};
