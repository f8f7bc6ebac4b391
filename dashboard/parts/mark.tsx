/** The page's logo; the style sheet defines its colours. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect class="ground" width="32" height="32" rx="8" />
    <rect class="bar-1" x="7" y="17" width="4" height="8" rx="1.5" />
    <rect class="bar-2" x="14" y="12" width="4" height="13" rx="1.5" />
    <rect class="bar-3" x="21" y="7" width="4" height="18" rx="1.5" />
  </svg>
);
