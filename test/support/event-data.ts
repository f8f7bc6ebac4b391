/** Default data of platform events. Names, ids and all relevant values are in the test. */

export const workspaceData = {
  admins: [{ user_id: "u-admin", email: "admin@example.com" }],
  seats_purchased: 100,
  active: true,
};

export const instanceData = { provider: "gitlab", base_url: "https://git.example.com", active: true };

export const organizationData = {
  workspace_id: null,
  plan: "enterprise",
  subscription_active: true,
  deployment: "cloud",
  active: true,
  metrics: "ready",
  seats_purchased: 100,
  seat_assignment_mode: "manual",
  approval_delay_days: 0,
};

export const repositoryData = {
  private: true,
  url: "https://git.example.com/group/repository",
  active: true,
  approval_delay_days: null,
};

export const memberData = {
  role: "cr_member",
  seat_assigned: false,
  readable_repository_ids: "*",
  active: true,
};
