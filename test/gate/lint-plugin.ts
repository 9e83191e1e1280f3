/** A place in the code that a rule names. Its shape follows ESTree, by its type. */
type Node = Readonly<Record<string, unknown>>;

interface Place {
  readonly selector: string;
  readonly message: string;
}

interface Variable {
  readonly references: readonly { readonly identifier: Node }[];
}

interface Context {
  readonly options: readonly Place[];
  readonly sourceCode: { getDeclaredVariables(node: Node): readonly Variable[] };
  report(finding: { readonly node: Node; readonly message: string }): void;
}

const noDefault =
  'The data of a query is undefined until it is known: show nothing or a skeleton until then, or look it up in `soFar`.';

/** The expression that a path of members and calls makes of a value, such as `data?.rows.filter(f)` of `data`. */
function pathOf(value: Node): Node {
  const parent = value['parent'] as Node;
  const isOn =
    (parent['type'] === 'MemberExpression' && parent['object'] === value) ||
    (parent['type'] === 'CallExpression' && parent['callee'] === value) ||
    ['ChainExpression', 'TSNonNullExpression', 'TSAsExpression'].includes(parent['type'] as string);
  return isOn ? pathOf(parent) : value;
}

/** The rules that oxlint lacks. */
export default {
  meta: { name: 'planner' },
  rules: {
    'restricted-syntax': {
      meta: { schema: false },
      create(context: Context): Record<string, (node: Node) => void> {
        return Object.fromEntries(
          context.options.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
        );
      },
    },
    /** The data of a query has no default: a page that takes it for empty says something false while it loads. */
    'no-data-default': {
      meta: { schema: false },
      create(context: Context): Record<string, (node: Node) => void> {
        const report = (node: Node): void => context.report({ node, message: noDefault });
        const check = (data: Node): void => {
          const path = pathOf(data);
          const { type, operator, left, right } = path['parent'] as Record<string, Node>;
          if (type === ('LogicalExpression' as never) && operator !== ('&&' as never) && left === path)
            if (path === data || right!['type'] === 'ArrayExpression' || typeof right!['value'] === 'number')
              report(path['parent'] as Node);
        };
        return {
          "ObjectPattern > Property[key.name='data'] > AssignmentPattern": report,
          "VariableDeclarator[init.callee.name=/^use[A-Z]/] > ObjectPattern > Property[key.name='data']": (node) => {
            for (const { references } of context.sourceCode.getDeclaredVariables(
              (node['parent'] as Node)['parent'] as Node,
            ))
              for (const { identifier } of references) check(identifier);
          },
          "MemberExpression[property.name='data']": check,
        };
      },
    },
  },
};
