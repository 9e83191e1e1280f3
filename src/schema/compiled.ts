import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { inlinedForUs } from './inline.ts';
import { newAjv } from './new-ajv.ts';
import type { Extent, Origin } from './new-ajv.ts';

/**
 * The compiled validator of a definition. Run from source, ajv compiles it here. The build compiles all of them with `standalone.ts` and
 * replaces this module with the result, so that a start neither loads nor runs ajv.
 */
export function compiled(origin: Origin, extent: Extent, definition: string): ValidateFunction {
  return (ajvs[origin][extent] ??= newAjv(origin, extent)).compile(inlinedForUs(definition));
}

const ajvs: Readonly<Record<Origin, Partial<Record<Extent, Ajv2020>>>> = { caller: {}, record: {} };
