import { createElement } from 'react';
import type { ReactElement, SVGProps } from 'react';
import type { Shape } from './shape.ts';

export interface IconProps extends SVGProps<SVGSVGElement> {
  /** The width and height, in pixels. */
  readonly size?: number;
}

export interface Icon {
  (props: IconProps): ReactElement;
  /** The shapes on 24 × 24 units, with lines two units wide. */
  readonly shapes: readonly Shape[];
}

/** Creates the component of an icon. Screen readers skip the icon unless an attribute names it. */
export function icon(shapes: readonly Shape[]): Icon {
  function DrawnIcon({ size = 24, ...attributes }: IconProps): ReactElement {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden={isNamed(attributes) ? undefined : true}
        {...attributes}
      >
        {shapes.map(([element, drawn], index) => createElement(element, { key: index, ...drawn }))}
      </svg>
    );
  }
  return Object.assign(DrawnIcon, { shapes });
}

function isNamed(attributes: object): boolean {
  return Object.entries(attributes).some(
    ([name, value]) => value !== undefined && (name === 'role' || name.startsWith('aria-')),
  );
}
