import { killedWhileOthersWrite } from './killed-service.ts';
import { browserTestsInOneTab } from './support/browser.ts';

browserTestsInOneTab('The page', ({ app }) => {
  it('misses no change when the service is killed again and again while others write [S.web.stream-resume]', () =>
    killedWhileOthersWrite(app, 12));
});
