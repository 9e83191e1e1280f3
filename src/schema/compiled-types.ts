import { compile, type JSONSchema } from 'json-schema-to-typescript';
import ts from 'typescript';
import type { Schema } from './schemas.ts';

/**
 * One exported TypeScript type for each definition. `named` returns the name of the definition that a `$ref` refers to.
 */
export async function compiledTypes(
  schemas: Readonly<Record<string, Schema>>,
  named: (ref: string) => string,
): Promise<string> {
  const all = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, forTypes(schema, named) as JSONSchema]),
  );
  const root: JSONSchema = { title: 'AllDefinitions', type: 'object', additionalProperties: false, definitions: all };
  const text = await compile(root, 'AllDefinitions', {
    bannerComment: '',
    unreachableDefinitions: true,
    additionalProperties: true,
    ignoreMinAndMaxItems: true,
    format: false,
  });
  return readOnly(withoutNoise(text));
}

/** References are made local; keywords next to one become an annotation of it, so that the name of the type is kept. */
function forTypes(value: unknown, named: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => forTypes(item, named));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...beside } = value as Record<string, unknown>;
  const members = Object.fromEntries(Object.entries(beside).map(([key, member]) => [key, forTypes(member, named)]));
  if (typeof $ref !== 'string') return members;
  const reference = { $ref: `#/definitions/${named($ref)}` };
  return Object.keys(members).length === 0 ? reference : { ...members, allOf: [reference] };
}

/**
 * Removes two kinds of comments that the compiler adds: that the artificial root refers to a type, and the maximum
 * length of a list.
 */
function withoutNoise(text: string): string {
  return text
    .replace(/export interface AllDefinitions \{\}\n/, '')
    .replace(
      /^ *\* This interface was referenced by `AllDefinitions`'s JSON-Schema\n *\* via the `definition` "\w+"\.\n/gm,
      '',
    )
    .replace(/^ *\* @(?:min|max)Items \d+\n/gm, '')
    .replace(/(?:^ *\*\s*\n)+(?= *\*\/)/gm, '')
    .replace(/^ *\/\*\*\n *\*\/\n/gm, '');
}

/** Records and inputs are immutable values. */
function readOnly(text: string): string {
  const { factory, SyntaxKind } = ts;
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true);
  const { transformed } = ts.transform(source, [
    (context) => {
      const visit = (node: ts.Node): ts.Node => {
        const inner = ts.visitEachChild(node, visit, context);
        if (ts.isArrayTypeNode(inner)) return factory.createTypeOperatorNode(SyntaxKind.ReadonlyKeyword, inner);
        if (!ts.isPropertySignature(inner)) return inner;
        const { name, questionToken, type } = inner;
        return factory.updatePropertySignature(
          inner,
          [factory.createToken(SyntaxKind.ReadonlyKeyword)],
          name,
          questionToken,
          type,
        );
      };
      return (file) => ts.visitEachChild(file, visit, context);
    },
  ]);
  return ts.createPrinter().printFile(transformed[0]!);
}
