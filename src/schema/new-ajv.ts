import { Ajv2020, Name, _, type KeywordDefinition } from 'ajv/dist/2020.js';
import { fitsBytes, formats, isNotBlank, isOneLine } from './keywords.ts';

/**
 * The origin of the value that is checked. Callers send one-line texts without control characters (`oneLine`); files, exports and data that
 * is older than this rule may contain them: they are served and exported unchanged, and escaped when they are printed.
 */
export type Origin = 'caller' | 'record';

/** `first` stops at the first violation and is used for every value. `all` finds all violations and is used for invalid values. */
export type Extent = 'first' | 'all';

/** An ajv for our schemas. The generated code can be stored: it calls our own keywords and formats by their names. */
export function newAjv(origin: Origin, extent: Extent): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    // The schemas are trusted, and compiling their meta-schema takes 50 ms. The gate validates them against it.
    validateSchema: false,
    meta: false,
    allErrors: extent === 'all',
    verbose: true,
    // `violations.ts` has a message for every keyword that the schemas use.
    messages: false,
    allowUnionTypes: true,
    strictRequired: false,
    code: { source: true, esm: true, formats: _`formats` },
  });
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, validate);
  ajv.addKeyword(textKeyword('maxBytes', 'number', fitsBytes));
  ajv.addKeyword(textKeyword('notBlank', 'boolean', isNotBlank));
  ajv.addKeyword(
    origin === 'caller'
      ? textKeyword('oneLine', 'boolean', isOneLine)
      : { keyword: 'oneLine', type: 'string', schemaType: 'boolean' },
  );
  // An annotation: which transports show a member. All of them accept it.
  ajv.addKeyword({ keyword: 'restOnly', schemaType: 'boolean' });
  return ajv;
}

function textKeyword<V>(
  keyword: string,
  schemaType: 'number' | 'boolean',
  holds: (value: V, text: string) => boolean,
): KeywordDefinition {
  return {
    keyword,
    type: 'string',
    schemaType,
    code: (cxt) => {
      const called = cxt.gen.scopeValue('keyword', { ref: holds, code: _`${new Name(holds.name)}` });
      cxt.fail(_`!${called}(${cxt.schemaValue}, ${cxt.data})`);
    },
  };
}
