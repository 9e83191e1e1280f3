import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { inlinedForUs } from './inline.ts';
import { newAjv } from './new-ajv.ts';
import type { Extent, Origin } from './new-ajv.ts';

/**
 * The compiled validator of a definition. Run from source, ajv compiles it here; the build has `standalone.ts` compile all of them and
 * puts its module in this one's place, so that neither ajv nor its work is part of a start.
 */
export function compiled(origin: Origin, extent: Extent, definition: string): ValidateFunction {
  return (ajvs[origin][extent] ??= newAjv(origin, extent)).compile(inlinedForUs(definition));
}

const ajvs: Readonly<Record<Origin, Partial<Record<Extent, Ajv2020>>>> = { caller: {}, record: {} };
