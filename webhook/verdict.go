// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// judge answers one request. An error means that the request could not be read.
type judge func(context.Context, admission.Request) (validate.Verdict, error)

// except lets the requests of one user pass, and gives all others to the judge.
func except(self string, judge judge) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, request admission.Request) admission.Response {
		if request.UserInfo.Username == self {
			return admission.Allowed("")
		}
		verdict, err := judge(ctx, request)
		if err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if !verdict.Allowed {
			log.FromContext(ctx).V(1).Info("denied", "operation", request.Operation, "kind", request.Kind.Kind,
				"namespace", request.Namespace, "name", request.Name, "reason", verdict.Reason)
		}
		return response(verdict)
	})
}

var codes = map[metav1.StatusReason]int32{
	metav1.StatusReasonBadRequest:         http.StatusBadRequest,
	metav1.StatusReasonUnauthorized:       http.StatusUnauthorized,
	metav1.StatusReasonForbidden:          http.StatusForbidden,
	metav1.StatusReasonConflict:           http.StatusConflict,
	metav1.StatusReasonInvalid:            http.StatusUnprocessableEntity,
	metav1.StatusReasonServiceUnavailable: http.StatusServiceUnavailable,
	metav1.StatusReasonInternalError:      http.StatusInternalServerError,
}

// response puts a verdict into the words of the API server. A denial carries a
// whole Status, so that clients can tell a conflict from a lack of rights.
func response(v validate.Verdict) admission.Response {
	if v.Allowed {
		return admission.Allowed("").WithWarnings(v.Warnings...)
	}
	code, known := codes[v.Reason]
	if !known {
		code = http.StatusForbidden
	}
	message := v.Message
	if v.Field != "" {
		message = v.Field + ": " + message
	}
	denied := admission.Denied(message).WithWarnings(v.Warnings...)
	denied.Result = &metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: v.Reason, Message: message,
	}
	if len(v.Causes) > 0 {
		denied.Result.Details = &metav1.StatusDetails{Causes: v.Causes}
	}
	return denied
}
