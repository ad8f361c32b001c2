import type { ReactNode } from "react";
import { hrefOf, type Route } from "../route.ts";
import { texts } from "../texts.ts";

export type ButtonLook = "primary" | "secondary" | "warning";

const looks: Readonly<Record<ButtonLook, string>> = {
  primary: "govuk-button",
  secondary: "govuk-button govuk-button--secondary",
  warning: "govuk-button govuk-button--warning",
};

export function Button(props: {
  readonly children: string;
  readonly look?: ButtonLook;
  /** Without it, the button submits its form. */
  readonly onClick?: () => void;
  readonly busy?: boolean;
  /** Whether a press would do nothing yet. */
  readonly waits?: boolean;
}): ReactNode {
  return (
    <button
      type={props.onClick ? "button" : "submit"}
      className={looks[props.look ?? "primary"]}
      onClick={props.onClick}
      aria-disabled={props.busy || props.waits || undefined}
    >
      {props.busy ? texts.app.working : props.children}
    </button>
  );
}

/** A link that looks like a button, for the next step of a task. */
export function LinkButton(props: {
  readonly children: string;
  readonly to: Route;
  readonly look?: ButtonLook;
  /** Called when the link is followed. */
  readonly onFollow?: () => void;
}): ReactNode {
  return (
    <a
      href={hrefOf(props.to)}
      className={looks[props.look ?? "primary"]}
      draggable={false}
      onClick={props.onFollow}
    >
      {props.children}
    </a>
  );
}
