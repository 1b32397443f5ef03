// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package v1alpha2

// Labels.
const (
	// LabelInheritedFrom marks a copy; its value is the namespace of the
	// source. Written by the owner of the copy's namespace; read by all.
	LabelInheritedFrom = Group + "/inherited-from"

	// LabelManagedByApps is set to Group on every copy, whatever the source
	// had there, so that tools see who maintains the object.
	LabelManagedByApps = "app.kubernetes.io/managed-by"

	// LabelTreeDepthSuffix ends every tree label. The label of namespace n is
	// n + LabelTreeDepthSuffix; its value is the distance to n.
	LabelTreeDepthSuffix = ".tree." + Group + "/depth"

	// LabelIncludedNamespace is "true" on every managed namespace. The
	// selectors of the webhooks read it.
	LabelIncludedNamespace = Group + "/included-namespace"
)

// Annotations of namespaces.
const (
	// AnnotationSubnamespaceOf marks a subnamespace; its value is the parent.
	// It is the source of truth for ownership. Written once, when the
	// namespace is created for its anchor.
	AnnotationSubnamespaceOf = Group + "/subnamespace-of"

	// AnnotationManagedBy names the system that places a namespace in a tree
	// of its own. Absent, empty or Group means Banyan; anything else makes
	// the namespace external. Only read.
	AnnotationManagedBy = Group + "/managed-by"
)

// AnnotationPreviousKey of a HierarchyConfiguration stamps a namespace that is
// changing its tree: its value is the name of the root of the old tree. Until it is
// taken away, nothing else is written into the namespace and what is below it.
// Written by admission, in the same write as the parent; taken away by the owner of
// the old tree, once its own writes have ended.
const AnnotationPreviousKey = Group + "/previous-key"

// AnnotationOwnKey of a HierarchyConfiguration, if it is OwnKey, makes the namespace
// and what is below it a key of their own, so that another replica may write there
// than in the rest of the tree. Nothing else depends upon it: not what is inherited,
// nor who has which rights. Set and taken away by users; admission stamps both like
// a change of tree.
const (
	AnnotationOwnKey = Group + "/own-key"
	OwnKey           = "true"
)

// Annotations of source objects, set by users to limit propagation.
const (
	AnnotationPropagatePrefix = "propagate." + Group

	// AnnotationSelector selects destination namespaces by label.
	AnnotationSelector = AnnotationPropagatePrefix + "/select"
	// AnnotationTreeSelector selects destination namespaces by ancestor.
	AnnotationTreeSelector = AnnotationPropagatePrefix + "/treeSelect"
	// AnnotationNoneSelector, when true, stops all propagation.
	AnnotationNoneSelector = AnnotationPropagatePrefix + "/none"
	// AnnotationAllSelector, when true, asks for propagation to everywhere.
	AnnotationAllSelector = AnnotationPropagatePrefix + "/all"
)

// Finalizers.
const (
	// FinalizerAnchor keeps an anchor until its namespace is dealt with.
	FinalizerAnchor = Group

	// FinalizerHasSubnamespace keeps a HierarchyConfiguration, and so its
	// allowCascadingDeletion, readable until all anchors beside it are gone.
	FinalizerHasSubnamespace = Group + "/hasSubnamespace"
)

// Condition types of a namespace.
const (
	// ConditionActivitiesHalted: nothing is copied to, or deleted from, this
	// namespace and its descendants.
	ConditionActivitiesHalted = "ActivitiesHalted"
	// ConditionBadConfiguration: something is wrong, but work goes on.
	ConditionBadConfiguration = "BadConfiguration"
)

// Condition reasons of a namespace.
const (
	ReasonAncestor                 = "AncestorHaltActivities"
	ReasonDeletingCRD              = "DeletingCRD"
	ReasonInCycle                  = "InCycle"
	ReasonParentMissing            = "ParentMissing"
	ReasonIllegalParent            = "IllegalParent"
	ReasonAnchorMissing            = "SubnamespaceAnchorMissing"
	ReasonIllegalManagedLabel      = "IllegalManagedLabel"
	ReasonIllegalManagedAnnotation = "IllegalManagedAnnotation"

	// A managed key is asked for, but an ancestor sets another value.
	ReasonOverriddenManagedLabel      = "OverriddenManagedLabel"
	ReasonOverriddenManagedAnnotation = "OverriddenManagedAnnotation"
)

// ConditionReady of an anchor: its subnamespace is in its tree, and all that it
// inherits has arrived. Written by the owner of the anchor's namespace.
const ConditionReady = "Ready"

// Reasons of an anchor's condition Ready. All but the first make it False.
const (
	ReasonArrived           = "Arrived"
	ReasonNamespaceMissing  = "NamespaceMissing"
	ReasonNamespaceConflict = "NamespaceConflict"
	ReasonNameForbidden     = "NameForbidden"
	ReasonHalted            = "Halted"
	ReasonObjectsAwaited    = "ObjectsAwaited"
	ReasonObjectsFailed     = "ObjectsFailed"
	ReasonTerminating       = "Terminating"
)

// ReasonSubnamespaceStuck is the reason of the event that tells of an anchor
// that waits no longer for a subnamespace whose deletion does not get on.
const ReasonSubnamespaceStuck = "SubnamespaceStuck"
