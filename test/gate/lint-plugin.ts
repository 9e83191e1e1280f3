/** A place in the code that a rule names. Its shape follows ESTree, by its type. */
type Node = Readonly<Record<string, unknown>>;

interface Place {
  readonly selector: string;
  readonly message: string;
}

interface Context {
  readonly options: readonly Place[];
  report(finding: { readonly node: Node; readonly message: string }): void;
}

/** The one rule that oxlint lacks: each option forbids the nodes that its selector names. */
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
  },
};
