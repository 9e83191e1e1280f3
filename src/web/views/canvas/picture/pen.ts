import type { Icon } from '../../../ui/icon.tsx';
import { Paints } from './paints.ts';
import { element, escaped } from './svg.ts';
import { linesOf, shortened } from './text-lines.ts';
import type { Measure } from './text-lines.ts';

/** The fonts of a file are the system's, because the page's own font is not in it. */
const fonts = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export interface TextStyle {
  readonly size: number;
  readonly weight: number;
  readonly colour: string;
}

/** Draws texts, icons and colours, and keeps the icons that were used. */
export class Pen {
  readonly paints: Paints;
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #icons = new Map<string, string>();

  constructor(root: HTMLElement) {
    this.paints = new Paints(root);
    this.#context = new OffscreenCanvas(1, 1).getContext('2d')!;
  }

  /** A text in lines, from the baseline of the first one. */
  lines(
    text: string,
    at: { x: number; y: number; width: number; most: number; step: number },
    style: TextStyle,
  ): string {
    return linesOf(text, at.width, at.most, this.#measure(style))
      .map((line, row) => this.#drawn(line, at.x, at.y + row * at.step, style))
      .join('');
  }

  /** Draws a text in one line, with an ellipsis for the part that does not fit. Returns it with its width. */
  line(
    text: string,
    { x, y, width }: { x: number; y: number; width: number },
    style: TextStyle,
  ): { readonly drawn: string; readonly width: number } {
    const short = shortened(text, width, this.#measure(style));
    return { drawn: this.#drawn(short, x, y, style), width: this.#measure(style)(short) };
  }

  widthOf(text: string, style: TextStyle): number {
    return this.#measure(style)(text);
  }

  /** An icon, from its top left corner. */
  icon(icon: Icon, x: number, y: number, size: number, colour: string): string {
    const shapes = icon.shapes.map(([name, attributes]) => element(name, attributes)).join('');
    const id = this.#icons.get(shapes) ?? `icon-${this.#icons.size}`;
    this.#icons.set(shapes, id);
    const transform = `translate(${x} ${y}) scale(${size / 24})`;
    return element('use', { href: `#${id}`, transform, fill: 'none', ...this.paints.stroke(colour) });
  }

  /** The definitions that the drawing refers to. */
  get definitions(): string {
    const common = { 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
    return [...this.#icons].map(([shapes, id]) => element('g', { id, ...common }, shapes)).join('');
  }

  get fonts(): string {
    return fonts;
  }

  close(): void {
    this.paints.close();
  }

  #measure({ size, weight }: TextStyle): Measure {
    return (text) => {
      this.#context.font = `${weight} ${size}px ${fonts}`;
      return this.#context.measureText(text).width;
    };
  }

  /** With its length: another system may have a wider font, whose text would run over the edge of its card. */
  #drawn(text: string, x: number, y: number, style: TextStyle): string {
    const { size, weight, colour } = style;
    const font = { 'font-size': size, 'font-weight': weight, ...this.paints.fill(colour) };
    const length = { textLength: this.#measure(style)(text), lengthAdjust: 'spacingAndGlyphs' };
    return element('text', { x, y, ...font, ...length }, escaped(text));
  }
}
