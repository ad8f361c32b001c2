import { describe, expect, it } from "vitest";
import { maxPhotoLength, photoSchema } from "./photo.ts";

const jpeg = "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ==";
const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";
const webp = "data:image/webp;base64,UklGRiQAAABXRUJQVlA4IA==";
const head = "data:image/jpeg;base64,/9j/";

describe("photoSchema", () => {
  it.each([
    ["a JPEG", jpeg],
    ["a PNG", png],
    ["a WebP", webp],
    ["the largest there may be", head + "A".repeat(Math.floor((maxPhotoLength - head.length) / 4) * 4)],
  ])("accepts %s", (_name, photo) => {
    expect(photoSchema.safeParse(photo).success).toBe(true);
  });

  it.each([
    ["a larger one", head + "A".repeat(maxPhotoLength - head.length + 1), "too_long"],
    ["plain text", "hello", "invalid_value"],
    ["an address", "https://example.org/a.jpg", "invalid_value"],
    ["another type", "data:image/svg+xml;base64,PHN2Zz4=", "invalid_value"],
    ["a GIF that says it is a JPEG", "data:image/jpeg;base64,R0lGODlhAQABAA==", "invalid_value"],
    ["a PNG that says it is a JPEG", png.replace("png", "jpeg"), "invalid_value"],
    ["a RIFF file that is no WebP", "data:image/webp;base64,UklGRiQAAABXQVZFZm10IA==", "invalid_value"],
    ["no content", "data:image/png;base64,", "invalid_value"],
    ["too little content", "data:image/png;base64,iVBORw==", "invalid_value"],
    ["content that is not base64", "data:image/jpeg;base64,/9j/4AA*", "invalid_value"],
    ["base64 without padding", jpeg.replaceAll("=", ""), "invalid_value"],
    ["content that is percent-encoded", "data:image/png,%89PNG", "invalid_value"],
  ])("refuses %s", (_name, photo, code) => {
    const parsed = photoSchema.safeParse(photo);
    expect(parsed.error?.issues).toMatchObject([{ code: "custom", params: { code } }]);
  });
});
