import './styles/layers.css';
import { QueryClientProvider } from '@tanstack/react-query';
import * as Tooltip from '@radix-ui/react-tooltip';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { Toaster } from 'sonner';
import { newQueryClient } from './api/cache.ts';
import { router } from './app.tsx';
import { ignoreComposedKeys } from './shell/composed-keys.ts';
import { applyTheme, keptTheme } from './frame/theme.ts';

applyTheme(keptTheme());
ignoreComposedKeys();

// An expired sign-in: redirect to the sign-in page, with the address to return to.
window.addEventListener('planner:unauthorized', () => {
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?${new URLSearchParams({ to: pathname + search }).toString()}`);
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={newQueryClient()}>
      <Tooltip.Provider>
        <RouterProvider router={router} />
        <Toaster position="bottom-left" theme="system" closeButton style={{ fontFamily: 'inherit' }} />
      </Tooltip.Provider>
    </QueryClientProvider>
  </StrictMode>,
);
