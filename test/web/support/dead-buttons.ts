import type { Page } from 'playwright-core';

/**
 * The names of the buttons in the window that a click does not reach, since something covers them, or that have nothing
 * that a click would call.
 */
export function deadButtons(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const handlers = ['onClick', 'onPointerDown', 'onPointerUp', 'onMouseDown', 'onKeyDown'];
    const propsOf = (element) => element[Object.keys(element).find((key) => key.startsWith('__reactProps$'))] ?? {};
    const acts = (element) =>
      handlers.some((name) => propsOf(element)[name] !== undefined) ||
      (element.type === 'submit' && element.form !== null && propsOf(element.form).onSubmit !== undefined) ||
      element.popoverTargetElement != null;
    const isReached = (element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const isShown = width > 0 && height > 0 && x > 0 && y > 0 && x < innerWidth && y < innerHeight;
      if (!isShown || getComputedStyle(element).visibility === 'hidden') return true;
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (element.contains(hit) || hit.contains(element) && getComputedStyle(element).pointerEvents !== 'none');
    };
    return [...document.querySelectorAll('button:not(:disabled)')]
      .filter((button) => !acts(button) || !isReached(button))
      .map((button) => button.getAttribute('aria-label') ?? button.textContent);
  })()`);
}
