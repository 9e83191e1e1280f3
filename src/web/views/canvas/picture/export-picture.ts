import { drawPicture } from './draw-picture.ts';
import type { Picture, PictureSource } from './draw-picture.ts';

/** The kinds of files of a picture. */
export type PictureKind = 'svg' | 'png';

/** Limits of every current browser: a side in pixels, and 64 million pixels, which take 256 MB. */
const sideMax = 16_384;
const pixelsMax = 64 * 1024 * 1024;
/** Sharp on screens with two pixels for each unit, and the least size at which labels of 13 units can be read. */
const scaleMax = 2;
const scaleMin = 0.6;

/** A picture that cannot be made, with the remedy as its message. */
class PictureError extends Error {}

/** The canvas as a file. Rejects with a `PictureError` if nothing is shown or the file would be larger than a browser can make. */
export async function exportPicture(source: PictureSource, kind: PictureKind): Promise<Blob> {
  if (source.nodes.every(({ hidden }) => hidden === true))
    throw new PictureError('The filter shows no card. Clear it, and export again.');
  const picture = drawPicture(source);
  const svg = new Blob([picture.svg], { type: 'image/svg+xml' });
  return kind === 'svg' ? svg : await pngOf(picture, svg);
}

async function pngOf({ width, height }: Picture, svg: Blob): Promise<Blob> {
  const scale = Math.min(scaleMax, sideMax / Math.max(width, height), Math.sqrt(pixelsMax / (width * height)));
  const size = `${width.toLocaleString()} × ${height.toLocaleString()}`;
  const tooLarge = `The canvas has ${size} units: as PNG its labels would not be legible. Export it as SVG, filter it, or arrange it automatically.`;
  if (scale < scaleMin) throw new PictureError(tooLarge);
  const image = await decoded(svg);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  // Frees its memory now; a browser keeps it until the element is collected.
  canvas.width = canvas.height = 0;
  // The browser has less memory than others.
  if (png === null) throw new PictureError(tooLarge);
  return png;
}

async function decoded(svg: Blob): Promise<HTMLImageElement> {
  const address = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}
