import type { FieldError } from "@fieldroll/core";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { texts } from "../texts.ts";
import { scaledPhoto } from "./photo.ts";

/** The pictures that are chosen in a form, until each is among its values. */
export interface Pictures {
  /** Whether any is still being made smaller: it is not among the values yet. */
  readonly preparing: boolean;
  /** Those that can't be read, as faults of their fields. */
  readonly faults: readonly FieldError[];
  /** Whether the picture of a field is still being made smaller. */
  isPreparing(field: string): boolean;
  /**
   * Makes a picture small enough to keep.
   * @param taken is given it, unless the field got another one or was dropped meanwhile.
   */
  take(field: string, file: File, taken: (photo: string) => void): void;
  /** Forgets what was chosen in a field. */
  drop(field: string): void;
}

type Standing = "preparing" | "unreadable";

export function usePictures(): Pictures {
  const [standings, setStandings] = useState<ReadonlyMap<string, Standing>>(new Map());
  /** What was chosen last, by its field. */
  const newest = useRef(new Map<string, File>());
  const put = (field: string, standing: Standing | null) =>
    setStandings((before) => {
      const next = new Map(before);
      if (standing) next.set(field, standing);
      else next.delete(field);
      return next;
    });
  const fields = (wanted: Standing) =>
    [...standings].flatMap(([field, is]) => (is === wanted ? [field] : []));
  return {
    preparing: fields("preparing").length > 0,
    faults: fields("unreadable").map((field) => ({
      field,
      code: "photo",
      message: texts.person.photoUnreadable,
    })),
    isPreparing: (field) => standings.get(field) === "preparing",
    async take(field, file, taken) {
      newest.current.set(field, file);
      put(field, "preparing");
      const photo = await scaledPhoto(file).catch(() => null);
      if (newest.current.get(field) !== file) return;
      // At once: the picture of another field must find this one among the values.
      flushSync(() => {
        if (photo) taken(photo);
        put(field, photo ? null : "unreadable");
      });
    },
    drop(field) {
      newest.current.delete(field);
      put(field, null);
    },
  };
}
