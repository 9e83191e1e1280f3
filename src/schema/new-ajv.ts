import { Ajv2020, Name, _, type KeywordDefinition } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { fitsBytes, isNotBlank, isOneLine } from './keywords.ts';

/**
 * The origin of the value that is checked. Callers send one-line texts without control characters (`oneLine`); files, exports and what was
 * kept before that rule may hold them: they are served and can be exported as they are, and whatever prints them escapes them.
 */
export type Origin = 'caller' | 'record';

/** `first` stops at the first violation: what nearly every value goes through. `all` finds the others, once there is one. */
export type Extent = 'first' | 'all';

/** An ajv for our schemas. The code that it makes can be kept: it calls the keywords of our own by the names of their functions. */
export function newAjv(origin: Origin, extent: Extent): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    // The schemas are our own: compiling their meta-schema alone takes 50 ms. The gate checks them against it.
    validateSchema: false,
    meta: false,
    allErrors: extent === 'all',
    verbose: true,
    // `violations.ts` words every keyword that the schemas use.
    messages: false,
    allowUnionTypes: true,
    strictRequired: false,
    code: { source: true, esm: true },
  });
  // The plugin is CommonJS: its default export is a member of what is imported.
  formatsPlugin.default(ajv, ['date-time', 'date']);
  ajv.addKeyword(textKeyword('maxBytes', 'number', fitsBytes));
  ajv.addKeyword(textKeyword('notBlank', 'boolean', isNotBlank));
  ajv.addKeyword(
    origin === 'caller'
      ? textKeyword('oneLine', 'boolean', isOneLine)
      : { keyword: 'oneLine', type: 'string', schemaType: 'boolean' },
  );
  // Says where a member is shown; every transport takes it.
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
