import { Component } from 'react';
import type { ReactNode } from 'react';

export interface ErrorBoundaryProps {
  readonly fallback: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

/** Draws the fallback instead of children that throw; the rest of the page continues to work. Use another React key to try again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failed?: { readonly error: unknown } }> {
  override readonly state: { readonly failed?: { readonly error: unknown } } = {};

  static getDerivedStateFromError(error: unknown): { readonly failed: { readonly error: unknown } } {
    return { failed: { error } };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    return failed === undefined ? this.props.children : this.props.fallback(failed.error);
  }
}
