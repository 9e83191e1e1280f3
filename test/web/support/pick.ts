import type { Locator, Page } from 'playwright-core';
import { untilKeysWork } from './until.ts';

/** Types into the open picker and takes the first line with the name, once it is marked. */
export async function chooseInPicker(page: Page, name: string | RegExp, typed = String(name)): Promise<void> {
  await page.getByRole('combobox').fill(typed);
  await page.getByRole('option', { name, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await untilKeysWork(page);
}

/** Changes a field of the task in the panel. */
export async function setField(panel: Locator, field: string, value: string | RegExp, typed?: string): Promise<void> {
  await panel.getByRole('group', { name: 'Properties' }).getByRole('button', { name: field }).click();
  await chooseInPicker(panel.page(), value, typed);
}
