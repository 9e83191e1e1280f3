/** An element of a drawing on 24 × 24 units, and its attributes. */
export type Shape = readonly [element: string, attributes: Readonly<Record<string, string>>];
