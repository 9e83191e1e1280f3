/**
 * The script by which a rendered artifact speaks with the page that frames it: nobody but itself can look into its sandbox. It says
 * `{planner: 'size', id, width, height}` in CSS pixels whenever that changes, `{planner: 'go', id}` for a link to another screen that was
 * pressed, which a frame without an origin could not follow with the visitor's credential, and `{planner: 'key', key}` for arrows and
 * Escape. Only the service's own pages may frame it, so that what is said may be said to any. It is a courtesy: an artifact may say anything,
 * and the framing page believes none of it beyond what it would let a visitor do.
 */
export function embeddedScript(id: string): string {
  return `<script>(${speak})(${JSON.stringify(id)})</script>`;
}

/** Runs in the artifact's page. */
const speak = `(own) => {
  const say = (message) => parent.postMessage(message, '*');
  const size = () => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    say({ planner: 'size', id: own, width: scrollWidth, height: scrollHeight });
  };
  addEventListener('load', size);
  new ResizeObserver(size).observe(document.documentElement);
  if (document.body) new ResizeObserver(size).observe(document.body);
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const [, id] = /^\\/api\\/v1\\/artifacts\\/([A-Za-z0-9_-]{1,64})\\/render/.exec(link ? link.getAttribute('href') : '') || [];
    if (!id) return;
    event.preventDefault();
    say({ planner: 'go', id });
  });
  addEventListener('keydown', ({ key, target }) => {
    const typing = target instanceof Element && target.closest('input, textarea, select, [contenteditable]');
    if (!typing && /^(Arrow(Left|Right)|Page(Up|Down)|Home|End|Escape)$/.test(key)) say({ planner: 'key', key });
  });
}`;
