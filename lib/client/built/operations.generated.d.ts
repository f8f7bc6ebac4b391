/** Every operation: what it takes and what it answers. */
export type Operations = {
    /** Read the findings of automated reviews on merged pull requests. */
    listReviewCommentMetrics: {
        request: {
            query: {
                start_date: string;
                end_date: string;
                repository_ids?: string | undefined;
                user_ids?: string | undefined;
                organization_ids?: string | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                include_removed?: "true" | "false" | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            data: Array<{
                pr_url: string;
                organization_id: string;
                repository_id: string;
                author_id: string | null;
                merged_at: string | null;
                coderabbit_comments: Array<{
                    url: string;
                    severity: "critical" | "major" | "minor" | "trivial" | "info" | null;
                    category: "data_integrity_and_integration" | "functional_correctness" | "maintainability_and_code_quality" | "performance_and_scalability" | "security_and_privacy" | "stability_and_availability" | null;
                    accepted: boolean | null;
                }>;
            }>;
            removed?: Array<{
                pr_url: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                repository_id: string;
                removed_at: string;
            } | {
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                removed_at: string;
            }> | undefined;
            next_cursor: string | null;
        };
    };
    /** Read one aggregate per reviewed pull request. */
    listReviewMetrics: {
        request: {
            query: {
                start_date: string;
                end_date: string;
                repository_ids?: string | undefined;
                user_ids?: string | undefined;
                organization_ids?: string | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                include_removed?: "true" | "false" | undefined;
                org_id?: string | undefined;
                status?: "merged" | "closed" | "all" | undefined;
                format?: "json" | "csv" | "ndjson" | undefined;
            };
        };
        answer: {
            data: Array<{
                pr_url: string;
                author_id: string | null;
                author_username: string | null;
                organization_id: string;
                organization_name: string;
                repository_id: string;
                repository_name: string;
                created_at: string;
                ready_for_review_at: string | null;
                first_human_review_at: string | null;
                last_commit_at: string | null;
                merged_at: string | null;
                closed_at: string | null;
                status: "merged" | "closed";
                review_iterations: number;
                estimated_complexity: number | null;
                estimated_review_minutes: number | null;
                coderabbit_comments: {
                    total: {
                        posted: number;
                        accepted: number;
                    };
                    severity: {
                        critical: {
                            posted: number;
                            accepted: number;
                        };
                        major: {
                            posted: number;
                            accepted: number;
                        };
                        minor: {
                            posted: number;
                            accepted: number;
                        };
                        trivial: {
                            posted: number;
                            accepted: number;
                        };
                        info: {
                            posted: number;
                            accepted: number;
                        };
                    };
                    category: {
                        data_integrity_and_integration: {
                            posted: number;
                            accepted: number;
                        };
                        functional_correctness: {
                            posted: number;
                            accepted: number;
                        };
                        maintainability_and_code_quality: {
                            posted: number;
                            accepted: number;
                        };
                        performance_and_scalability: {
                            posted: number;
                            accepted: number;
                        };
                        security_and_privacy: {
                            posted: number;
                            accepted: number;
                        };
                        stability_and_availability: {
                            posted: number;
                            accepted: number;
                        };
                    };
                };
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                repository_full_name: string;
            }>;
            removed?: Array<{
                pr_url: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                repository_id: string;
                removed_at: string;
            } | {
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                removed_at: string;
            }> | undefined;
            next_cursor: string | null;
        };
    };
    /** Read the MCP servers and tools that reviews of merged pull requests used. */
    listMcpMetrics: {
        request: {
            query: {
                start_date: string;
                end_date: string;
                repository_ids?: string | undefined;
                user_ids?: string | undefined;
                organization_ids?: string | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                include_removed?: "true" | "false" | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            data: Array<{
                pr_url: string;
                organization_id: string;
                repository_id: string;
                author_id: string | null;
                merged_at: string | null;
                servers: Array<{
                    name: string;
                    calls: number;
                    tools: Array<{
                        name: string;
                        calls: number;
                        failures: number;
                    }>;
                }>;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
            }>;
            removed?: Array<{
                pr_url: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                repository_id: string;
                removed_at: string;
            } | {
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                removed_at: string;
            }> | undefined;
            next_cursor: string | null;
        };
    };
    /** Export Learnings. */
    listLearnings: {
        request: {
            query?: {
                repository_ids?: string | undefined;
                user_ids?: string | undefined;
                repository_name?: string | undefined;
                search?: string | undefined;
                file?: Array<string> | undefined;
                stat_filter?: "total" | "active" | "never_used" | "created_this_week" | undefined;
                state?: "approved" | "pending" | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                format?: "json" | "csv" | "ndjson" | undefined;
                include_removed?: "true" | "false" | undefined;
                org_id?: string | undefined;
                organization_ids?: string | undefined;
            };
        };
        answer: {
            data: Array<{
                id: string;
                learning: string;
                organization_id: string;
                organization_name: string;
                repository_id: string;
                repository_name: string;
                author_id: string;
                author_username: string | null;
                file: string | null;
                source_url: string | null;
                usage_count: number;
                last_used_at: string | null;
                created_at: string;
                updated_at: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                repository_short_name: string;
                approve_at?: string | undefined;
            }>;
            removed?: Array<{
                id: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                repository_id: string;
                removed_at: string;
            } | {
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                organization_id: string;
                removed_at: string;
            }> | undefined;
            next_cursor: string | null;
        };
    };
    /** Create 1 to 100 Learnings and index them for reviews. */
    createLearnings: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
            body: {
                data: Array<{
                    repository_id: string;
                    learning: string;
                    file?: string | undefined;
                    source_url?: string | undefined;
                }>;
                org_id?: string | undefined;
            };
        };
        answer: {
            status: "success" | "partial_success" | "failure";
            created_count: number;
            duplicate_count: number;
            failed_count: number;
            results: Array<{
                index: number;
                status: "created" | "duplicate" | "failed";
                id: string | null;
                promoted?: true | undefined;
                redacted?: Array<string> | undefined;
                error?: {
                    code: "INVALID_ITEM" | "REPOSITORY_NOT_FOUND" | "INDEXING_FAILED" | "STORAGE_FAILED";
                    message: string;
                } | undefined;
            }>;
        };
    };
    /** Read one Learning in any state. */
    getLearning: {
        request: {
            path: {
                learning_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: {
            id: string;
            learning: string;
            organization_id: string;
            organization_name: string;
            repository_id: string;
            repository_name: string;
            author_id: string;
            author_username: string | null;
            file: string | null;
            source_url: string | null;
            usage_count: number;
            last_used_at: string | null;
            created_at: string;
            updated_at: string;
            provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
            repository_short_name: string;
            state: "approved" | "pending" | "private" | "disapproved";
        };
    };
    /** Replace the text of a Learning, and its file and source. */
    updateLearning: {
        request: {
            path: {
                learning_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
            body: {
                learning: string;
                file?: string | null | undefined;
                source_url?: string | null | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            id: string;
            learning: string;
            organization_id: string;
            organization_name: string;
            repository_id: string;
            repository_name: string;
            author_id: string;
            author_username: string | null;
            file: string | null;
            source_url: string | null;
            usage_count: number;
            last_used_at: string | null;
            created_at: string;
            updated_at: string;
            provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
            repository_short_name: string;
        };
    };
    /** Delete a Learning. */
    deleteLearning: {
        request: {
            path: {
                learning_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: undefined;
    };
    /** Approve or disapprove a pending Learning. */
    decideLearning: {
        request: {
            path: {
                learning_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
            body: {
                decision: "approve" | "disapprove";
                org_id?: string | undefined;
            };
        };
        answer: {
            id: string;
            learning: string;
            organization_id: string;
            organization_name: string;
            repository_id: string;
            repository_name: string;
            author_id: string;
            author_username: string | null;
            file: string | null;
            source_url: string | null;
            usage_count: number;
            last_used_at: string | null;
            created_at: string;
            updated_at: string;
            provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
            repository_short_name: string;
            state: "approved" | "pending" | "private" | "disapproved";
        };
    };
    /** List the organizations that the key can see. */
    listOrganizations: {
        request: {
            query?: {
                limit?: number | undefined;
                cursor?: string | undefined;
                org_id?: string | undefined;
                organization_ids?: string | undefined;
            };
        };
        answer: {
            organizations: Array<{
                id: string;
                name: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                provider_organization_id: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** List the active repositories of an organization. */
    listRepositories: {
        request: {
            path: {
                organization_id: string;
            };
            query?: {
                limit?: number | undefined;
                cursor?: string | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            repositories: Array<{
                id: string;
                provider_repository_id: string;
                name: string;
                full_name: string;
                private: boolean | null;
                url: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** List members, their seats and roles. */
    listUsers: {
        request: {
            query?: {
                seat_filter?: "all" | "assigned" | "unassigned" | undefined;
                role_filter?: "all" | "member" | "admin" | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            seats_purchased: number;
            seats_assigned: number;
            seat_assignment_mode: "automatic" | "manual" | null;
            users: Array<{
                user_id: string;
                username: string | null;
                email: string | null;
                seat_assigned: boolean;
                role: string;
                role_name: string;
                role_type: "system" | "custom";
            } | {
                email: string | null;
                username: string | null;
                seat_assigned: boolean;
                seat_holder_id?: string | undefined;
                organizations: Array<{
                    provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                    org_id: string;
                    user_id: string;
                    role: string;
                }>;
            }>;
            next_cursor: string | null;
        };
    };
    /** Assign or unassign seats. */
    assignSeats: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
            body: {
                action: "assign" | "unassign";
                user_ids?: Array<string> | undefined;
                emails?: Array<string> | undefined;
                dry_run?: boolean | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            status: "success" | "partial_success" | "failure";
            succeeded: Array<string>;
            dry_run?: true | undefined;
            failed: Array<{
                user_id: string;
                id: string;
                code: "USER_NOT_FOUND" | "NO_SEATS_AVAILABLE";
                message: string;
            } | {
                email: string;
                id: string;
                code: "USER_NOT_FOUND" | "NO_SEATS_AVAILABLE";
                message: string;
            }>;
        };
    };
    /** Read the seat assignment mode. */
    getSeatAssignment: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: {
            mode: "automatic" | "manual";
        };
    };
    /** Set the seat assignment mode. */
    setSeatAssignment: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
            body: {
                mode: "automatic" | "manual";
                org_id?: string | undefined;
            };
        };
        answer: {
            mode: "automatic" | "manual";
        };
    };
    /** Change the role of up to 500 users. */
    changeRoles: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
            body: {
                role: "cr_admin" | "cr_member";
                user_ids: Array<string>;
                dry_run?: boolean | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            status: "success" | "partial_success" | "failure";
            succeeded: Array<string>;
            dry_run?: true | undefined;
            failed: Array<{
                user_id: string;
                id: string;
                code: "USER_NOT_FOUND" | "LAST_ADMIN" | "BILLING_ADMIN_PROTECTED" | "ENTERPRISE_PLAN_REQUIRED";
                message: string;
                organizations?: Array<{
                    org_id: string;
                    code: "USER_NOT_FOUND" | "LAST_ADMIN" | "BILLING_ADMIN_PROTECTED" | "ENTERPRISE_PLAN_REQUIRED";
                    message: string;
                }> | undefined;
            }>;
        };
    };
    /** List the roles of an organization. */
    listRoles: {
        request: {
            query?: {
                org_id?: string | undefined;
                role_type?: "all" | "system" | "custom" | undefined;
                include_permissions?: "true" | "false" | undefined;
                include_user_count?: "true" | "false" | undefined;
            };
        };
        answer: {
            roles: Array<{
                id: string;
                name: string;
                description: string | null;
                type: "system" | "custom";
                is_default: boolean;
                permissions?: Array<{
                    resource_id: "learning" | "organization_management" | "role_management" | "security";
                    access_type: "read" | "write" | "delete";
                }> | undefined;
                user_count?: number | undefined;
            }>;
        };
    };
    /** Create a custom role. */
    createRole: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
            body: {
                name: string;
                description?: string | null | undefined;
                is_default?: boolean | undefined;
                permissions?: Array<{
                    resource_id: "learning" | "organization_management" | "role_management" | "security";
                    access_type: "read" | "write" | "delete";
                }> | undefined;
                duplicate_from?: string | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            id: string;
            name: string;
            description: string | null;
            type: "system" | "custom";
            is_default: boolean;
            permissions?: Array<{
                resource_id: "learning" | "organization_management" | "role_management" | "security";
                access_type: "read" | "write" | "delete";
            }> | undefined;
            user_count?: number | undefined;
        };
    };
    /** List the parts of permissions. */
    listPermissions: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: {
            resource_ids: Array<"learning" | "organization_management" | "role_management" | "security">;
            access_types: Array<"read" | "write" | "delete">;
        };
    };
    /** Read one role. */
    getRole: {
        request: {
            path: {
                role_id: string;
            };
            query?: {
                org_id?: string | undefined;
                include_permissions?: "true" | "false" | undefined;
                include_user_count?: "true" | "false" | undefined;
            };
        };
        answer: {
            id: string;
            name: string;
            description: string | null;
            type: "system" | "custom";
            is_default: boolean;
            permissions?: Array<{
                resource_id: "learning" | "organization_management" | "role_management" | "security";
                access_type: "read" | "write" | "delete";
            }> | undefined;
            user_count?: number | undefined;
        };
    };
    /** Change a custom role. */
    updateRole: {
        request: {
            path: {
                role_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
            body: {
                name?: string | undefined;
                description?: string | null | undefined;
                is_default?: boolean | undefined;
                permissions?: Array<{
                    resource_id: "learning" | "organization_management" | "role_management" | "security";
                    access_type: "read" | "write" | "delete";
                }> | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            id: string;
            name: string;
            description: string | null;
            type: "system" | "custom";
            is_default: boolean;
            permissions?: Array<{
                resource_id: "learning" | "organization_management" | "role_management" | "security";
                access_type: "read" | "write" | "delete";
            }> | undefined;
            user_count?: number | undefined;
        };
    };
    /** Delete a custom role. */
    deleteRole: {
        request: {
            path: {
                role_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: undefined;
    };
    /** Give a custom role to up to 500 users. */
    giveRole: {
        request: {
            path: {
                role_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
            body: {
                user_ids: Array<string>;
                dry_run?: boolean | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            status: "success" | "partial_success" | "failure";
            succeeded: Array<string>;
            dry_run?: true | undefined;
            failed: Array<{
                user_id: string;
                id: string;
                code: "USER_NOT_FOUND" | "LAST_ADMIN" | "BILLING_ADMIN_PROTECTED" | "ENTERPRISE_PLAN_REQUIRED";
                message: string;
                organizations?: Array<{
                    org_id: string;
                    code: "USER_NOT_FOUND" | "LAST_ADMIN" | "BILLING_ADMIN_PROTECTED" | "ENTERPRISE_PLAN_REQUIRED";
                    message: string;
                }> | undefined;
            }>;
        };
    };
    /** Read what changed, who changed it, and which keys were refused. */
    listAuditLogs: {
        request: {
            query?: {
                actions?: string | undefined;
                resource_types?: string | undefined;
                user_ids?: string | undefined;
                search?: string | undefined;
                date_from?: string | undefined;
                date_to?: string | undefined;
                order?: "desc" | "asc" | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                format?: "json" | "csv" | "ndjson" | undefined;
                org_id?: string | undefined;
                organization_ids?: string | undefined;
            };
        };
        answer: {
            data: Array<{
                id: string;
                action: "key.created" | "key.rotated" | "key.revoked" | "key.refused" | "token.created" | "token.rotated" | "token.deleted" | "learning.created" | "learning.promoted" | "learning.updated" | "learning.deleted" | "learning.approved" | "learning.disapproved" | "seats.assigned" | "seats.unassigned" | "roles.changed" | "role.created" | "role.updated" | "role.deleted" | "member.removed" | "workspace.admins_changed" | "organization.settings_changed" | "organization.moved" | "organization.deactivated" | "repository.settings_changed";
                resource_type: "api_key" | "workspace_token" | "learning" | "seat" | "member" | "role" | "workspace" | "organization" | "repository";
                resource_id: string | null;
                summary: string;
                actor: {
                    type: "user" | "key" | "system";
                    id: string | null;
                    name: string | null;
                    key_id: string | null;
                    key_kind: "organization" | "user" | "workspace" | "instance" | "legacy" | "agentic" | null;
                };
                organization_id: string | null;
                metadata: Record<string, unknown>;
                ip_address: string | null;
                request_id: string | null;
                gateway_request_id: string | null;
                created_at: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket" | null;
            }>;
            next_cursor: string | null;
        };
    };
    /** Read or download the findings of AI security scans. */
    listSecurityFindings: {
        request: {
            query?: {
                repo_id?: string | undefined;
                state?: "open" | "fixed" | "dismissed" | "all" | undefined;
                severity?: string | undefined;
                limit?: number | undefined;
                cursor?: string | undefined;
                format?: "json" | "csv" | "sarif" | undefined;
                org_id?: string | undefined;
                organization_ids?: string | undefined;
            };
        };
        answer: {
            data: Array<{
                id: string;
                organization_id: string;
                organization_name: string;
                repository_id: string;
                repository_name: string;
                title: string;
                description: string;
                severity: "critical" | "high" | "medium" | "low";
                state: "open" | "fixed" | "dismissed";
                cwe: string | null;
                file_path: string;
                start_line: number;
                end_line: number;
                evidence: Array<string>;
                scan_id: string;
                commit_sha: string;
                detected_at: string;
                updated_at: string;
                provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                repository_short_name: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** List the keys of the scope, without their values. */
    listKeys: {
        request: {
            query?: {
                limit?: number | undefined;
                cursor?: string | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            keys: Array<{
                id: string;
                kind: "organization" | "user" | "workspace" | "instance" | "legacy" | "agentic";
                name: string | null;
                role: string | null;
                owner: string | null;
                organizations: Array<string> | null;
                created_at: string;
                last_used_at: string | null;
                expires_at: string | null;
                state: "active" | "rotated" | "expired" | "revoked";
                successor_id: string | null;
            }>;
            next_cursor: string | null;
        };
    };
    /** Replace a key with a new one that has the same rights. */
    rotateKey: {
        request: {
            path: {
                key_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
            body?: {
                grace_seconds?: number | undefined;
                org_id?: string | undefined;
            };
        };
        answer: {
            key: string;
            id: string;
            kind: "organization" | "user" | "workspace" | "instance" | "legacy" | "agentic";
            name: string | null;
            role: string | null;
            owner: string | null;
            organizations: Array<string> | null;
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
            state: "active" | "rotated" | "expired" | "revoked";
            successor_id: string | null;
        };
    };
    /** End a key now. */
    deleteKey: {
        request: {
            path: {
                key_id: string;
            };
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: undefined;
    };
    /** Describe the key of this request. */
    whoami: {
        request: {
            query?: {
                org_id?: string | undefined;
            };
        };
        answer: {
            key: {
                id: string;
                kind: "organization" | "user" | "workspace" | "instance" | "legacy" | "agentic";
                name: string | null;
                expires_at: string | null;
            };
            scope: {
                tenant: "workspace" | "instance" | "organization";
                tenant_id: string;
                home: {
                    id: string;
                    name: string;
                    provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                    provider_organization_id: string;
                } | null;
                organizations: Array<{
                    id: string;
                    name: string;
                    provider: "github" | "gitlab" | "azure_devops" | "bitbucket";
                    provider_organization_id: string;
                }>;
            };
            user_id: string | null;
            role: string | null;
            permissions: Array<string>;
        };
    };
};
export declare const routes: {
    readonly listReviewCommentMetrics: {
        readonly method: "GET";
        readonly path: "/v1/metrics/review-comments";
    };
    readonly listReviewMetrics: {
        readonly method: "GET";
        readonly path: "/v1/metrics/reviews";
    };
    readonly listMcpMetrics: {
        readonly method: "GET";
        readonly path: "/v1/metrics/mcp";
    };
    readonly listLearnings: {
        readonly method: "GET";
        readonly path: "/v1/learnings";
    };
    readonly createLearnings: {
        readonly method: "POST";
        readonly path: "/v1/learnings";
    };
    readonly getLearning: {
        readonly method: "GET";
        readonly path: "/v1/learnings/{learning_id}";
    };
    readonly updateLearning: {
        readonly method: "PATCH";
        readonly path: "/v1/learnings/{learning_id}";
    };
    readonly deleteLearning: {
        readonly method: "DELETE";
        readonly path: "/v1/learnings/{learning_id}";
    };
    readonly decideLearning: {
        readonly method: "POST";
        readonly path: "/v1/learnings/{learning_id}/approval";
    };
    readonly listOrganizations: {
        readonly method: "GET";
        readonly path: "/v1/organizations";
    };
    readonly listRepositories: {
        readonly method: "GET";
        readonly path: "/v1/organizations/{organization_id}/repositories";
    };
    readonly listUsers: {
        readonly method: "GET";
        readonly path: "/v1/users";
    };
    readonly assignSeats: {
        readonly method: "POST";
        readonly path: "/v1/users/seats";
    };
    readonly getSeatAssignment: {
        readonly method: "GET";
        readonly path: "/v1/users/seats/assignment";
    };
    readonly setSeatAssignment: {
        readonly method: "POST";
        readonly path: "/v1/users/seats/assignment";
    };
    readonly changeRoles: {
        readonly method: "POST";
        readonly path: "/v1/users/roles";
    };
    readonly listRoles: {
        readonly method: "GET";
        readonly path: "/v1/roles";
    };
    readonly createRole: {
        readonly method: "POST";
        readonly path: "/v1/roles";
    };
    readonly listPermissions: {
        readonly method: "GET";
        readonly path: "/v1/roles/permissions";
    };
    readonly getRole: {
        readonly method: "GET";
        readonly path: "/v1/roles/{role_id}";
    };
    readonly updateRole: {
        readonly method: "PATCH";
        readonly path: "/v1/roles/{role_id}";
    };
    readonly deleteRole: {
        readonly method: "DELETE";
        readonly path: "/v1/roles/{role_id}";
    };
    readonly giveRole: {
        readonly method: "POST";
        readonly path: "/v1/roles/{role_id}/users";
    };
    readonly listAuditLogs: {
        readonly method: "GET";
        readonly path: "/v1/audit-logs";
    };
    readonly listSecurityFindings: {
        readonly method: "GET";
        readonly path: "/v1/security/scans/code";
    };
    readonly listKeys: {
        readonly method: "GET";
        readonly path: "/v1/keys";
    };
    readonly rotateKey: {
        readonly method: "POST";
        readonly path: "/v1/keys/{key_id}/rotate";
    };
    readonly deleteKey: {
        readonly method: "DELETE";
        readonly path: "/v1/keys/{key_id}";
    };
    readonly whoami: {
        readonly method: "GET";
        readonly path: "/v1/whoami";
    };
};
