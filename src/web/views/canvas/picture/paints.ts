/** A colour as each program that reads SVG knows it. */
export interface Paint {
  readonly colour: string;
  /** Undefined if it is opaque. */
  readonly opacity: number | undefined;
}

/** The colours of the page as they are shown: in its theme, without variables or functions of CSS, which a file cannot use. */
export class Paints {
  readonly #probe: HTMLElement;
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #known = new Map<string, Paint>();

  /** Colours are read within `root`. `close` removes the element that was added to it. */
  constructor(root: HTMLElement) {
    this.#probe = document.createElement('span');
    this.#probe.hidden = true;
    root.append(this.#probe);
    this.#context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  }

  of(css: string): Paint {
    const known = this.#known.get(css);
    if (known !== undefined) return known;
    this.#probe.style.color = css;
    this.#context.clearRect(0, 0, 1, 1);
    this.#context.fillStyle = getComputedStyle(this.#probe).color;
    this.#context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 255] = this.#context.getImageData(0, 0, 1, 1).data;
    const colour = `#${[red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('')}`;
    const paint = { colour, opacity: alpha === 255 ? undefined : Math.round(alpha / 2.55) / 100 };
    this.#known.set(css, paint);
    return paint;
  }

  fill(css: string): { readonly fill: string; readonly 'fill-opacity': number | undefined } {
    const { colour, opacity } = this.of(css);
    return { fill: colour, 'fill-opacity': opacity };
  }

  stroke(css: string): { readonly stroke: string; readonly 'stroke-opacity': number | undefined } {
    const { colour, opacity } = this.of(css);
    return { stroke: colour, 'stroke-opacity': opacity };
  }

  close(): void {
    this.#probe.remove();
  }
}
