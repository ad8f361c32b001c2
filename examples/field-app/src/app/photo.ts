const longestSide = 640;
const largest = 100_000;

/** Makes a picture small enough to keep and send: at most 640 px a side, JPEG, about 100 kB. `null` when it is no picture. */
export async function scaledPhoto(file: Blob): Promise<string | null> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) return null;
  const canvas = document.createElement("canvas");
  const { width, height } = fitted(bitmap, longestSide);
  canvas.width = width;
  canvas.height = height;
  const drawing = canvas.getContext("2d");
  if (!drawing) return null;
  // A transparent picture would turn black as JPEG.
  drawing.fillStyle = "#ffffff";
  drawing.fillRect(0, 0, width, height);
  drawing.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return smallEnough((quality) => canvas.toDataURL("image/jpeg", quality));
}

/** Width and height shrunk to a longest side, never enlarged. */
export function fitted(
  size: { width: number; height: number },
  side: number,
): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(size.width, size.height));
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
}

/** The best quality whose text stays within the limit, else the lowest tried. */
export function smallEnough(encode: (quality: number) => string): string {
  let text = "";
  for (const quality of [0.8, 0.65, 0.5, 0.35]) {
    text = encode(quality);
    // Base64 has 4 characters for 3 bytes.
    if (text.length * 0.75 <= largest) break;
  }
  return text;
}
